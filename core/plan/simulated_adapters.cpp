// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_adapters.h"

namespace slipway {

namespace {

class AdapterWriter {
public:
    AdapterWriter(Tape &tape, PlanBuilder &builder, const FrameworkRecipe &recipe, std::int64_t tokens,
        const SimulatedWeights &weights)
        : m_tape(tape),
          m_b(builder),
          m_r(recipe),
          m_w(weights),
          m_tokens(tokens)
    {
    }

    // result + lora_B(lora_A(dropout(x))) * scaling, of which each operation writes a tensor (PEFT 0.13 to 0.21,
    // tuners/lora/layer.py, Linear.forward). The input is made the adapter's type first, and autocast makes it half
    // again for the GEMM.
    Value adapted(Value x, const std::string &name, std::int64_t out, std::int64_t in)
    {
        const Value result = frozen(x, name, out, in);
        if (!m_r.adapts(name))
            return result;
        Value read = cast(x, name + "_adapter_input", in, m_r.compute, m_r.adapter);
        if (m_r.adapterDropout)
            read = dropped(read, name + "_adapter", in);
        read = cast(read, name + "_adapter_half", in, m_r.adapter, m_r.compute);
        const Value low = adapterGemm(read, name + "_lora_a", m_r.loraRank, in),
                    wide = adapterGemm(low, name + "_lora_b", out, m_r.loraRank),
                    scaled = tensor(name + "_lora_scaled", out, m_r.compute),
                    sum = tensor(name + "_lora_sum", out, m_r.compute);
        m_tape.add({.name = name + "_lora_scale",
            .kernel = widthKernel(out, m_r.compute, 1, 1),
            .inputs = {wide},
            .outputs = {scaled},
            .backward = {{.name = name + "_lora_scale_backward",
                .kernel = widthKernel(out, m_r.compute, 1, 1),
                .input = 0,
                .needsSaved = false}}});
        m_tape.add({.name = name + "_lora_sum",
            .kernel = widthKernel(out, m_r.compute, 2, 1),
            .inputs = {result, scaled},
            .outputs = {sum},
            .passesGradient = {0, 1}});
        return sum;
    }

private:
    Value tensor(const std::string &name, std::int64_t width, DType type)
    {
        return m_tape.tensor(name, m_tokens * width * sizeOf(type), Role::Activation, type);
    }

    KernelId bytesKernel(double read, double written, DType type, bool mixed)
    {
        return m_b.kernel({.kind = OpKind::Elementwise,
            .type = type,
            .mixed = mixed,
            .bytesRead = static_cast<Bytes>(read),
            .bytesWritten = static_cast<Bytes>(written)});
    }
    KernelId mixedKernel(double read, double written, DType type) { return bytesKernel(read, written, type, true); }
    // Over tokens x width; counts of tensors read and written.
    KernelId widthKernel(std::int64_t width, DType type, double reads, double writes)
    {
        const auto bytes = double(m_tokens * width * sizeOf(type));
        return bytesKernel(reads * bytes, writes * bytes, type, false);
    }
    KernelId gemmKernel(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        return m_b.kernel({.kind = OpKind::Gemm,
            .type = m_r.gemmInput,
            .form = form,
            .cost = CostClass::Gemm,
            .m = m,
            .n = n,
            .k = k});
    }

    Value cast(Value x, const std::string &name, std::int64_t width, DType from, DType to)
    {
        if (from == to)
            return x;
        const double elements = double(m_tokens * width);
        const Value y = tensor(name, width, to);
        m_tape.add({.name = name,
            .kernel = mixedKernel(elements * double(sizeOf(from)), elements * double(sizeOf(to)), to),
            .inputs = {x},
            .outputs = {y},
            .backward = {{.name = name + "_backward",
                .kernel = mixedKernel(elements * double(sizeOf(to)), elements * double(sizeOf(from)), to),
                .input = 0}},
            .group = RecomputeOp::Activation});
        return y;
    }

    Value dropped(Value x, const std::string &name, std::int64_t width)
    {
        const Value mask = m_tape.tensor(name + "_mask", m_tokens * width, Role::Activation, DType::Fp32),
                    y = tensor(name + "_dropout", width, m_r.adapter);
        m_tape.add({.name = name + "_dropout",
            .kernel = widthKernel(width, m_r.adapter, 1, 1),
            .inputs = {x},
            .outputs = {y},
            .saves = {mask},
            .backward = {
                {.name = name + "_dropout_backward", .kernel = widthKernel(width, m_r.adapter, 2, 1), .input = 0}}});
        return y;
    }

    // A frozen weight's GEMM keeps nothing but the weight for backward. Quantized ones are unpacked for each GEMM
    // (bitsandbytes, functional.py, dequantize_4bit).
    Value frozen(Value x, const std::string &name, std::int64_t out, std::int64_t in)
    {
        const bool packed = m_r.frozen != FrozenWeights::Whole;
        const Bytes unpacked = packed ? out * in * sizeOf(m_r.compute) : 0;
        const Value y = tensor(name, out, m_r.compute);
        TapeOp op{.name = name,
            .kernel = gemmKernel(GemmForm::Forward, m_tokens, out, in),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .workspace = unpacked,
            .group = RecomputeOp::Linear};
        const double bytes = double(out * in) * (m_r.frozen == FrozenWeights::Int8 ? 1 : 0.5);
        if (packed) {
            m_tape.add({.name = name + "_unpack",
                .kernel = mixedKernel(bytes, double(unpacked), m_r.compute),
                .inputs = {},
                .outputs = {},
                .weightReads = {m_w.weights}});
            op.backward.push_back({.name = name + "_unpack_again",
                .kernel = mixedKernel(bytes, double(unpacked), m_r.compute),
                .weightReads = {m_w.weights},
                .needsSaved = false});
        }
        op.backward.push_back({.name = name + "_dx",
            .kernel = gemmKernel(GemmForm::InputGradient, m_tokens, in, out),
            .input = 0,
            .weightReads = {m_w.weights},
            .needsSaved = false,
            .workspace = unpacked});
        m_tape.add(std::move(op));
        return y;
    }

    // One of an adapter's two matrices.
    Value adapterGemm(Value x, const std::string &name, std::int64_t out, std::int64_t in)
    {
        const Value y = tensor(name, out, m_r.compute);
        m_tape.add({.name = name,
            .kernel = gemmKernel(GemmForm::Forward, m_tokens, out, in),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = {x},
            .backward = {{.name = name + "_dx",
                             .kernel = gemmKernel(GemmForm::InputGradient, m_tokens, in, out),
                             .input = 0,
                             .weightReads = {m_w.weights},
                             .needsSaved = false},
                {.name = name + "_dweight",
                    .kernel = gemmKernel(GemmForm::WeightGradient, out, in, m_tokens),
                    .weightGradients = {m_w.gradients}}},
            .group = RecomputeOp::Linear});
        return y;
    }

    Tape &m_tape;
    PlanBuilder &m_b;
    const FrameworkRecipe &m_r;
    const SimulatedWeights &m_w;
    std::int64_t m_tokens;
};

} // namespace

Value recordAdapted(Tape &tape, PlanBuilder &builder, const FrameworkRecipe &recipe, std::int64_t tokens,
    const SimulatedWeights &weights, Value x, const AdaptedMatrix &matrix)
{
    return AdapterWriter(tape, builder, recipe, tokens, weights).adapted(x, matrix.name, matrix.out, matrix.in);
}

} // namespace slipway
