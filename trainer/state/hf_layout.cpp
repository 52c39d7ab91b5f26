// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/hf_layout.h"

namespace slipway {

namespace {

// Calls copy(part, row, place) for each row of each part, where `place` is the number of the row in the whole tensor.
template<typename Copy>
void forEachRow(const HfTensor &tensor, const Copy &copy)
{
    std::int64_t before = 0;
    const std::int64_t parts = std::ssize(tensor.parts);
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t rows = tensor.parts[static_cast<std::size_t>(part)].rows();
        for (std::int64_t row = 0; row < rows; ++row) {
            const bool stacked = tensor.rows == HfRows::Stacked;
            copy(static_cast<std::size_t>(part), row,
                stacked ? before + row : (row / tensor.headDim * parts + part) * tensor.headDim + row % tensor.headDim);
        }
        before += rows;
    }
}

std::int64_t rowsOf(const HfTensor &tensor)
{
    std::int64_t rows = 0;
    for (const ModelWeight &part : tensor.parts)
        rows += part.rows();
    return rows;
}

// Calls copy(part, element, place) for each element of each part, where `place` is its index in the tensor's values.
template<typename Copy>
void forEachElement(const HfTensor &tensor, const Copy &copy)
{
    const std::int64_t columns = tensor.parts.front().columns(), rows = rowsOf(tensor);
    forEachRow(tensor, [&](std::size_t part, std::int64_t row, std::int64_t place) {
        for (std::int64_t column = 0; column < columns; ++column)
            copy(part, row * columns + column, tensor.transposed ? column * rows + place : place * columns + column);
    });
}

} // namespace

bool isOneWeight(const HfTensor &tensor) { return tensor.parts.size() == 1 && !tensor.transposed; }

std::vector<float> joinedParts(const HfTensor &tensor, std::span<const float *const> parts)
{
    std::vector<float> values(static_cast<std::size_t>(rowsOf(tensor) * tensor.parts.front().columns()));
    forEachElement(tensor, [&](std::size_t part, std::int64_t element, std::int64_t place) {
        values[static_cast<std::size_t>(place)] = parts[part][element];
    });
    return values;
}

void splitIntoParts(const HfTensor &tensor, std::span<const float> values, std::span<float *const> parts)
{
    forEachElement(tensor, [&](std::size_t part, std::int64_t element, std::int64_t place) {
        parts[part][element] = values[static_cast<std::size_t>(place)];
    });
}

} // namespace slipway
