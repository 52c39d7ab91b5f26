// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_linear.h"

#include <utility>

#include "plan/simulated_adapters.h"

namespace slipway {

Value SimulatedLinear::record(Value x, const std::string &name, std::int64_t out, std::int64_t in, bool bias,
    WeightSplit split, const ActivationEpilogue &epilogue)
{
    const bool fromStream = split == WeightSplit::Columns;
    // Megatron-LM gathers a sequence-parallel input for the GEMM, and again for the weight gradient.
    const Bytes whole = m_s.tp > 1 && fromStream && m_r.sequenceParallel && !m_r.keepsGathered && !m_r.buffersGathered
                            ? m_s.tokens * in * sizeOf(m_r.compute)
                            : 0;
    if (fromStream)
        x = gathered(cast(x, name + "_input", streamWidth(), m_r.normed, m_r.compute), name);
    if (m_r.freezesWeights())
        return recordAdapted(*this, x, {.name = name, .out = out, .in = in});
    const Gemm gemm{.name = name,
        .out = out,
        .in = in,
        .bias = bias,
        .split = split,
        .message = m_s.tokens * m_s.hidden * sizeOf(m_r.compute),
        .whole = whole,
        .activation = epilogue.input.has_value()};
    const Value y = tensor(name, out, m_r.compute);
    TapeOp op{.name = name,
        .kernel = gemmKernel(GemmForm::Forward, m_s.tokens, out, in, epilogue.result.has_value()),
        .inputs = {x},
        .outputs = {y},
        .weightReads = {m_w.weights},
        .saves = {x},
        .workspace = whole,
        .group = RecomputeOp::Linear};
    if (epilogue.result)
        op.outputs.push_back(*epilogue.result);
    if (m_r.gemmInput == DType::Fp8) {
        op.saves = {quantize(x, name, fromStream ? m_s.hidden : in)};
        if (!m_r.keepsFp8)
            addQuantizedWeight(op, gemm);
    }
    if (epilogue.input)
        op.saves.push_back(*epilogue.input);
    if (m_r.castWeights) {
        op.inputs.push_back(castWeight(name, m_w.weights, out * in, {.mixed = true}));
        op.saves.push_back(op.inputs.back());
    }
    if (m_s.tp > 1 && fromStream && m_r.sequenceParallel && !m_r.keepsGathered)
        m_tape.add({.name = name + "_gather",
            .kernel = tpCollective(gemm.message, OpKind::AllGather),
            .inputs = {x},
            .outputs = {}});
    addBackward(op, gemm);
    m_tape.add(std::move(op));
    return m_s.tp > 1 && split == WeightSplit::Rows ? reduced(y, name, gemm.message) : y;
}

// Quantizes the weights for this GEMM and for that of the gradient, each in its own layout.
void SimulatedLinear::addQuantizedWeight(TapeOp &op, const Gemm &gemm)
{
    const std::int64_t elements = gemm.out * gemm.in;
    m_tape.add({.name = gemm.name + "_quantize_weight",
        .kernel = scaling(double(elements), 1),
        .inputs = {},
        .outputs = {},
        .weightReads = {m_w.weights},
        .workspace = elements});
    op.backward.push_back({.name = gemm.name + "_quantize_weight_again",
        .kernel = scaling(double(elements), 1),
        .weightReads = {m_w.weights},
        .needsSaved = false,
        .workspace = elements});
}

// The gradients of the input, the weight and the bias.
void SimulatedLinear::addBackward(TapeOp &op, const Gemm &gemm)
{
    const auto &[name, out, in, bias, split, message, whole, activation] = gemm;
    const Bytes halfWeight = out * in * sizeOf(m_r.compute);
    if (m_r.gemmInput == DType::Fp8) // quantizes the gradient in both layouts
        op.backward.push_back({.name = name + "_quantize_gradient",
            .kernel = scaling(double(m_s.tokens * out)),
            .needsSaved = false,
            .workspace = 2 * m_s.tokens * out});
    op.backward.push_back({.name = name + "_dx",
        .kernel = gemmKernel(GemmForm::InputGradient, m_s.tokens, in, out, activation),
        .input = 0,
        .weightReads = {m_w.weights},
        .workspace = whole});
    if (m_s.tp > 1 && split == WeightSplit::Columns && !m_r.keepsGathered)
        op.backward.push_back({.name = name + "_dx_reduce",
            .kernel = tpCollective(message, OpKind::AllReduce, m_r.overlapsInputGradient),
            .needsSaved = false});
    op.backward.push_back({.name = name + "_dweight",
        .kernel = gemmKernel(GemmForm::WeightGradient, out, in, m_s.tokens),
        .weightGradients = {m_w.gradientOf(name)},
        .workspace = whole + (m_r.castWeights || m_r.passesHalfGradients ? halfWeight : 0)});
    if (m_r.castWeights)
        op.backward.push_back({.name = name + "_accumulate",
            .kernel = mixedKernel(double(out * in) * 6, double(out * in) * 4, DType::Fp32),
            .weightGradients = {m_w.gradientOf(name)},
            .needsSaved = false});
    if (bias && !m_r.fusesBiasGradients)
        op.backward.push_back({.name = name + "_dbias",
            .kernel = bytesKernel(bytesOf(out), 0),
            .weightGradients = {m_w.gradients},
            .needsSaved = false});
}

// Quantizes to fp8 in two layouts, as Hopper's GEMMs need their operands. The second layout is for the weight gradient.
// TransformerEngine keeps it. PyTorch's float8 keeps the 16-bit tensor and quantizes it again. If several GEMMs read
// one input, each quantizes it (torchao's Float8Linear); a compiler does it once.
Value SimulatedLinear::quantize(Value x, const std::string &name, std::int64_t width)
{
    if (m_scaled.contains(x.id))
        return x;
    if (m_r.fusesAdditions)
        m_scaled.insert(x.id);
    const Value scaled = tensor(name + "_input_fp8", width, DType::Fp8);
    m_tape.add({.name = name + "_quantize",
        .kernel = scaling(double(m_s.tokens * width)),
        .inputs = {x},
        .outputs = {scaled}});
    return m_r.keepsFp8 ? scaled : x;
}

KernelId SimulatedLinear::tpCollective(Bytes bytes, OpKind kind, bool overlapsGemm)
{
    return m_b.kernel({.kind = kind,
        .type = m_r.compute,
        .m = 1,
        .n = bytes,
        .messageBytes = bytes,
        .group = m_s.tpGroup,
        .overlapFraction = m_r.overlapsTensorParallel ? 1 - 1.0 / double(m_s.tp)
                           : overlapsGemm             ? 1
                                                      : 0});
}

// Reduces over the ranks: to each rank's rows with sequence parallelism, else all rows in place.
Value SimulatedLinear::reduced(Value part, const std::string &name, Bytes message)
{
    if (!m_r.sequenceParallel) {
        m_tape.add({.name = name + "_reduce",
            .kernel = tpCollective(message),
            .inputs = {part},
            .outputs = {part},
            .passesGradient = {0},
            .group = RecomputeOp::Linear});
        return part;
    }
    if (m_r.keepsGathered) {
        const Value laid = tensor(name + "_laid", m_s.hidden, m_r.compute);
        m_tape.add({.name = name + "_reduce_layout",
            .kernel = layout(message),
            .inputs = {part},
            .outputs = {laid},
            .backward = {
                {.name = name + "_gradient_layout", .kernel = layout(message), .input = 0, .needsSaved = false}}});
        part = laid;
    }
    const Value own = tensor(name + "_reduced", streamWidth(), m_r.compute);
    m_tape.add({.name = name + "_reduce",
        .kernel = tpCollective(message, OpKind::ReduceScatter),
        .inputs = {part},
        .outputs = {own},
        .backward = {{.name = name + "_gradient_gather",
            .kernel = tpCollective(message, OpKind::AllGather),
            .input = 0,
            .needsSaved = false}},
        .group = RecomputeOp::Communication});
    return own;
}

// PyTorch's collectives work along the first dimension. Along the sequence, their data must be copied into place.
KernelId SimulatedLinear::layout(Bytes message) { return bytesKernel(double(message), double(message)); }

// Gathers a sequence-parallel input that backward keeps whole, once for all GEMMs that read it.
Value SimulatedLinear::gathered(Value x, const std::string &name)
{
    if (m_s.tp == 1 || !m_r.sequenceParallel || !m_r.keepsGathered)
        return x;
    if (const auto found = m_gathered.find(x.id); found != m_gathered.end())
        return found->second;
    const Bytes message = m_s.tokens * m_s.hidden * sizeOf(m_r.compute),
                sent = m_r.gathersFp8 ? message / sizeOf(m_r.compute) : message;
    const Value whole = tensor(name + "_gathered", m_s.hidden, m_r.compute);
    if (m_r.gathersFp8) {
        m_tape.add(
            {.name = name + "_quantize_part", .kernel = scaling(double(m_s.tokens * streamWidth()), 1), .inputs = {x}});
        m_scaled.insert(whole.id);
    }
    m_tape.add({.name = name + "_gather",
        .kernel = tpCollective(sent, OpKind::AllGather),
        .inputs = {x},
        .outputs = {whole},
        .backward = {{.name = name + "_scatter_layout", .kernel = layout(message), .needsSaved = false},
            {.name = name + "_scatter", .kernel = tpCollective(message, OpKind::ReduceScatter), .input = 0}}});
    m_tape.add({.name = name + "_gather_layout", .kernel = layout(sent), .inputs = {whole}});
    m_gathered.emplace(x.id, whole);
    return whole;
}

} // namespace slipway
