// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/inference/layer.h"
#include "plan/native/op_writer.h"

namespace slipway::inference {

BufferId StepWriter::buffer(std::string_view name, Bytes bytes, DType type, Role role)
{
    const BufferId id = b.buffer({.name = std::string(name), .bytes = bytes, .type = type, .role = role});
    // What passes from block to block is freed by the last one.
    if (name != "x" && name != "tokens" && name != "probabilities")
        m_temporary.push_back(id);
    return id;
}

KernelId StepWriter::rowKernel(OpKind kind, std::int64_t width, const RowsOf &of)
{
    return b.kernel(
        {.kind = kind, .type = layout.type, .m = of.rows > 0 ? of.rows : rows(), .n = width, .calls = of.calls});
}

KernelId StepWriter::scaleKernel(double scale)
{
    return b.kernel({.kind = OpKind::Scale,
        .type = layout.type,
        .m = rows(),
        .n = model.hidden,
        .scale = static_cast<float>(scale)});
}

KernelId StepWriter::gemm(const StepGemm &g)
{
    const bool plain = g.bits == 8.0 * double(sizeOf(g.fp8 ? DType::Fp8 : layout.type));
    return b.kernel({.kind = g.experts > 0 ? OpKind::GroupedGemm : OpKind::Gemm,
        .type = g.fp8 ? DType::Fp8 : layout.type,
        .m = g.rows,
        .n = g.out,
        .k = g.in,
        .batch = static_cast<std::int32_t>(g.experts),
        .storedBits = plain ? 0.0F : static_cast<float>(g.bits)});
}

KernelId StepWriter::collective(OpKind kind, std::int64_t elements)
{
    return b.collective(kind, layout.type, elements, GroupId{0});
}

void StepWriter::add(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes)
{
    m_ops.push_back(
        {.name = std::move(name), .kernel = kernel, .reads = std::move(reads), .writes = std::move(writes)});
}

void StepWriter::norm(const std::string &name, Use from, Use to)
{
    // A LayerNorm is one kernel of PyTorch; only an RMSNorm is written out in modules.
    const bool rms = model.norm.kind == NormKind::RmsNorm;
    add(name,
        rowKernel(rms ? OpKind::RmsNorm : OpKind::LayerNorm, model.hidden, {.calls = rms ? layout.normKernels : 1}),
        {from, native::at(layerWeights)}, {to});
}

Block StepWriter::take(std::string name)
{
    Block block{.name = std::move(name), .ops = std::move(m_ops)};
    m_ops.clear();
    native::freeAfterLastUse(block, m_temporary);
    return block;
}

} // namespace slipway::inference
