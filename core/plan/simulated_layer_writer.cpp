// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_layer_writer.h"

#include <utility>

namespace slipway {

Value LayerWriter::cast(Value x, const std::string &name, std::int64_t width, DType from, DType to, RecomputeOp group)
{
    if (from == to)
        return x;
    const Value y = tensor(name, width, to);
    m_tape.add({.name = name,
        .kernel = mixedKernel(bytesOf(width, from), bytesOf(width, to), to),
        .inputs = {x},
        .outputs = {y},
        .backward = {{.name = name + "_backward",
            .kernel = mixedKernel(bytesOf(width, to), bytesOf(width, from), to),
            .input = 0}},
        .group = group});
    return y;
}

Value LayerWriter::castWeight(
    const std::string &name, const Use &weight, std::int64_t elements, const BytesKernelOptions &options)
{
    const Bytes bytes = elements * sizeOf(m_r.compute);
    const Value half = m_tape.tensor(name + "_weight_half", bytes, Role::Workspace, m_r.compute);
    m_tape.add({.name = name + "_cast_weight",
        .kernel = bytesKernel(double(elements) * 4, double(bytes), options),
        .inputs = {},
        .outputs = {half},
        .weightReads = {weight}});
    return half;
}

Value LayerWriter::elementwise(const std::vector<Value> &inputs, const std::string &name, std::int64_t width,
    DType type, const ElementwiseOptions &options)
{
    const double bytes = bytesOf(width, type);
    const Value y = tensor(name, width, type);
    TapeOp op{.name = name,
        .kernel = bytesKernel(bytes * double(inputs.size()) * options.readScale, bytes, type),
        .inputs = inputs,
        .outputs = {y},
        .saves = options.saves};
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
        op.backward.push_back({.name = name + "_backward",
            .kernel = bytesKernel(bytes * (1 + options.readScale), bytes * options.readScale, type),
            .input = i});
    m_tape.add(std::move(op));
    return y;
}

} // namespace slipway
