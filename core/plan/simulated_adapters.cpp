// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_adapters.h"

namespace slipway {

namespace {

class AdapterWriter : private LayerWriter {
public:
    explicit AdapterWriter(const LayerWriter &writer) : LayerWriter(writer) {}

    // result + lora_B(lora_A(dropout(x))) * scaling. Each operation writes a tensor (PEFT 0.13 to 0.21,
    // tuners/lora/layer.py, Linear.forward). The input is first cast to the adapter's type, and autocast casts it back
    // to 16 bits for the GEMM.
    Value adapted(Value x, const std::string &name, std::int64_t out, std::int64_t in)
    {
        const Value result = frozen(x, name, out, in);
        if (!m_r.hasAdapter(name))
            return result;
        const Value wideInput = cast(x, name + "_adapter_input", in, m_r.compute, m_r.adapter);
        Value read = wideInput;
        if (m_r.adapterDropout)
            read = elementwise({read}, name + "_adapter_dropout", in, m_r.adapter,
                {.saves = {bytesTensor(name + "_adapter_mask", m_s.tokens * in)}});
        read = cast(read, name + "_adapter_half", in, m_r.adapter, m_r.compute);
        // The caller's argument and the local variables live while the adapter runs.
        const Value low = adapterGemm(read, name + "_lora_a", m_r.loraRank, in, {x, wideInput, result}),
                    wide = adapterGemm(low, name + "_lora_b", out, m_r.loraRank, {}),
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
    // The GEMM of a frozen weight keeps only the weight for backward: autocast's copy of an fp32 one. Quantized weights
    // are unpacked for each GEMM (bitsandbytes, functional.py, dequantize_4bit).
    Value frozen(Value x, const std::string &name, std::int64_t out, std::int64_t in)
    {
        const bool packed = m_r.frozen == FrozenWeights::Int8 || m_r.frozen == FrozenWeights::Nf4;
        const Bytes unpacked = packed ? out * in * sizeOf(m_r.compute) : 0;
        const Value y = tensor(name, out, m_r.compute);
        TapeOp op{.name = name,
            .kernel = gemmKernel(GemmForm::Forward, m_s.tokens, out, in),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .workspace = unpacked,
            .group = RecomputeOp::Linear};
        if (m_r.frozen == FrozenWeights::Int8) { // bitsandbytes 0.50, autograd/_functions.py, MatMul8bitLt: ctx.tensors
            op.saves.push_back(x);
            op.savesItself = true;
        }
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
        if (m_r.castWeights) {
            op.inputs.push_back(castWeight(name, m_w.weights, out * in, {.mixed = true}));
            op.saves.push_back(op.inputs.back());
        }
        op.backward.push_back({.name = name + "_dx",
            .kernel = gemmKernel(GemmForm::InputGradient, m_s.tokens, in, out),
            .input = 0,
            .weightReads = {m_w.weights},
            .needsSaved = m_r.castWeights || op.savesItself,
            .workspace = unpacked});
        m_tape.add(std::move(op));
        return y;
    }

    // One of an adapter's two matrices. `alive`: tensors that are not freed before it.
    Value adapterGemm(
        Value x, const std::string &name, std::int64_t out, std::int64_t in, const std::vector<Value> &alive)
    {
        const Value y = tensor(name, out, m_r.compute);
        std::vector<Value> inputs{x};
        inputs.insert(inputs.end(), alive.begin(), alive.end());
        m_tape.add({.name = name,
            .kernel = gemmKernel(GemmForm::Forward, m_s.tokens, out, in),
            .inputs = std::move(inputs),
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = {x},
            .backward = {{.name = name + "_dx",
                             .kernel = gemmKernel(GemmForm::InputGradient, m_s.tokens, in, out),
                             .input = 0,
                             .weightReads = {m_w.weights},
                             .needsSaved = false},
                {.name = name + "_dweight",
                    .kernel = gemmKernel(GemmForm::WeightGradient, out, in, m_s.tokens),
                    .weightGradients = {m_w.gradients}}},
            .group = RecomputeOp::Linear});
        return y;
    }
};

} // namespace

Value recordAdapted(const LayerWriter &writer, Value x, const AdaptedMatrix &matrix)
{
    return AdapterWriter(writer).adapted(x, matrix.name, matrix.out, matrix.in);
}

} // namespace slipway
