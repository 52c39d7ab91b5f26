// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_weights.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cpu_ops/few_rows.h"

namespace slipway {

namespace {

std::string joined(const std::vector<std::string> &names)
{
    std::string key;
    for (const std::string &name : names)
        key += (key.empty() ? "" : "+") + name;
    return key;
}

void roundToBf16(std::vector<float> &values)
{
    std::vector<std::uint16_t> rounded(values.size());
    cpu_ops::convertToBf16(std::ssize(values), values.data(), rounded.data());
    cpu_ops::convertToFp32(std::ssize(values), rounded.data(), values.data());
}

} // namespace

void WeightMatrix::readRow(std::int64_t row, float *to) const
{
    if (fp32)
        std::copy_n(fp32 + row * columns, columns, to);
    else
        cpu_ops::convertToFp32(columns, bf16 + row * columns, to);
}

DecoderWeights::DecoderWeights(std::vector<HfWeight> weights, DecoderType type) : m_type(type)
{
    for (HfWeight &weight : weights) {
        std::string name = weight.name;
        if (type == DecoderType::Bf16 && weight.shape.size() == 1)
            roundToBf16(weight.values);
        m_weights.emplace(std::move(name), std::move(weight));
    }
}

HfWeight &DecoderWeights::at(std::string_view name)
{
    const auto found = m_weights.find(name);
    if (found == m_weights.end())
        throw std::logic_error("the model lacks the weight " + std::string(name));
    return found->second;
}

const float *DecoderWeights::vector(std::string_view name) const
{
    const auto found = m_weights.find(name);
    return found == m_weights.end() ? nullptr : found->second.values.data();
}

WeightMatrix DecoderWeights::stored(
    const std::string &key, std::int64_t rows, std::int64_t columns, std::vector<float> values)
{
    WeightMatrix matrix{.rows = rows, .columns = columns};
    if (m_type == DecoderType::Bf16) {
        std::vector<std::uint16_t> &bf16 = m_bf16[key];
        bf16.resize(values.size());
        cpu_ops::convertToBf16(std::ssize(values), values.data(), bf16.data());
        matrix.bf16 = bf16.data();
    } else {
        matrix.fp32 = (m_fp32[key] = std::move(values)).data();
    }
    return m_matrices[key] = matrix;
}

WeightMatrix DecoderWeights::matrix(const std::vector<std::string> &names)
{
    const std::string key = joined(names);
    if (const auto known = m_matrices.find(key); known != m_matrices.end())
        return known->second;
    std::vector<float> values;
    std::int64_t rows = 0, columns = 0;
    for (const std::string &name : names) {
        HfWeight &weight = at(name);
        rows += weight.shape.front();
        columns = std::ssize(weight.values) / std::max<std::int64_t>(weight.shape.front(), 1);
        if (names.size() == 1)
            values = std::move(weight.values);
        else
            values.insert(values.end(), weight.values.begin(), weight.values.end());
        weight.values = {};
    }
    return stored(key, rows, columns, std::move(values));
}

const float *DecoderWeights::vectors(const std::vector<std::string> &names, std::span<const std::int64_t> widths)
{
    if (names.size() == 1)
        return vector(names.front());
    if (std::none_of(names.begin(), names.end(), [this](const std::string &name) { return has(name); }))
        return nullptr;
    std::vector<float> &all = m_fp32[joined(names)];
    for (std::size_t i = 0; i < names.size(); ++i) {
        const float *const own = vector(names[i]);
        all.resize(all.size() + static_cast<std::size_t>(widths[i]), 0.0F);
        if (own)
            std::copy_n(own, widths[i], all.end() - widths[i]);
    }
    return all.data();
}

} // namespace slipway
