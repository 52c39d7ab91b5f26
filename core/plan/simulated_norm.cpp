// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_norm.h"

#include <vector>

namespace slipway {

namespace {

// What else a fused norm is one kernel with.
struct NormFusion {
    bool readElsewhere = false; // the part of the kernel before the norm reads its input
    bool oneBackward = false;   // one kernel computes the gradients of input and weight
};

class NormWriter : private LayerWriter {
public:
    explicit NormWriter(const LayerWriter &writer) : LayerWriter(writer) {}

    Value norm(Value x, const std::string &name, bool fused)
    {
        if (!m_r.fusedNorm)
            return eagerRmsNorm(x, name, streamWidth(), m_r.residual);
        // An eager kernel reads and writes one type. A compiled kernel can use different types.
        const DType read = sizeOf(m_r.normed) > sizeOf(m_r.residual) ? m_r.normed : m_r.residual;
        return fusedNorm(cast(x, name + "_input", streamWidth(), m_r.residual, read, RecomputeOp::Norm), name,
            streamWidth(), read, m_r.normed,
            {.readElsewhere = fused || m_r.fusedAddNorm, .oneBackward = m_r.fusedAddNorm});
    }

    // The norm of queries or keys: a separate kernel over the results of the GEMMs.
    Value normedHeads(Value x, const std::string &name, std::int64_t width)
    {
        if (m_model.attention.qkNorm == QkNorm::None)
            return x;
        return m_r.fusedNorm ? fusedNorm(x, name, width, m_r.compute, m_r.compute)
                             : eagerRmsNorm(x, name, width, m_r.compute);
    }

private:
    // Reads one type and writes another or the same one. Backward reads both and writes the first.
    Value fusedNorm(
        Value x, const std::string &name, std::int64_t width, DType in, DType out, const NormFusion &with = {})
    {
        const double wide = bytesOf(width, in), narrow = bytesOf(width, out);
        const Value y = tensor(name, width, out);
        const Value statistics =
            bytesTensor(name + "_statistics", m_s.tokens * (m_model.norm.kind == NormKind::LayerNorm ? 8 : 4));
        m_tape.add({.name = name,
            .kernel = bytesKernel(with.readElsewhere ? 0 : wide, narrow, out),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = {x, statistics},
            .backward = trained({{.name = name + "_backward",
                                     .kernel = bytesKernel(wide + narrow, wide, out),
                                     .input = 0,
                                     .weightReads = {m_w.weights}},
                {.name = name + "_dweight",
                    .kernel = with.oneBackward ? viewKernel(out) : bytesKernel(wide + narrow, 0, out),
                    .weightGradients = {m_w.gradients}}}),
            .group = RecomputeOp::Norm});
        return y;
    }

    // Transformers' LlamaRMSNorm: cast to fp32, square, mean, rsqrt, multiply, cast back, multiply by the weight.
    // Backward is as autograd does it: power of one, times two, times the gradient. Elementwise products are written in
    // full before they are summed to the gradient of a row or of the weight.
    Value eagerRmsNorm(Value x, const std::string &name, std::int64_t h, DType type)
    {
        const Value x32 = cast(x, name + "_fp32", h, type, DType::Fp32, RecomputeOp::Norm);
        const Value rstd = bytesTensor(name + "_rstd", m_s.tokens * 4);
        const Bytes wide = m_s.tokens * h * 4;
        const auto bytes32 = double(wide);
        const Value square = tensor(name + "_square", h, DType::Fp32);
        m_tape.add({.name = name + "_pow",
            .kernel = bytesKernel(bytes32, bytes32, DType::Fp32),
            .inputs = {x32},
            .outputs = {square},
            .saves = {x32},
            .backward = {{.name = name + "_pow_backward",
                .kernel = bytesKernel(4 * bytes32, 3 * bytes32, DType::Fp32, {.calls = 3}),
                .input = 0,
                .workspace = wide}},
            .group = RecomputeOp::Norm});
        m_tape.add({.name = name + "_mean",
            .kernel = bytesKernel(bytes32, 0, DType::Fp32),
            .inputs = {square},
            .outputs = {rstd},
            .backward = {{.name = name + "_mean_backward", .kernel = bytesKernel(0, bytes32, DType::Fp32), .input = 0}},
            .group = RecomputeOp::Norm});
        const Value scaled = tensor(name + "_scaled", h, DType::Fp32);
        m_tape.add({.name = name + "_scale",
            .kernel = bytesKernel(bytes32, bytes32, DType::Fp32),
            .inputs = {x32, rstd},
            .outputs = {scaled},
            .saves = {x32, rstd},
            .backward = {{.name = name + "_scale_dx", .kernel = bytesKernel(bytes32, bytes32, DType::Fp32), .input = 0},
                {.name = name + "_scale_drstd",
                    .kernel = bytesKernel(3 * bytes32, bytes32, DType::Fp32, {.calls = 2}),
                    .input = 1,
                    .workspace = wide}},
            .group = RecomputeOp::Norm});
        if (m_r.wideNorm)
            return cast(
                weighted(scaled, name, h, DType::Fp32), name + "_cast", h, DType::Fp32, type, RecomputeOp::Norm);
        return weighted(cast(scaled, name + "_cast", h, DType::Fp32, type, RecomputeOp::Norm), name, h, type);
    }

    // Multiplies by the weight of the norm.
    Value weighted(Value x, const std::string &name, std::int64_t h, DType type)
    {
        const Value y = tensor(name + (m_r.wideNorm ? "_weighted" : ""), h, type);
        m_tape.add({.name = name + "_weight",
            .kernel = widthKernel(h, type, 1, 1),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = m_r.freezesWeights() ? std::vector<Value>{} : std::vector<Value>{x},
            .backward = trained({{.name = name + "_weight_dx",
                                     .kernel = widthKernel(h, type, 1, 1),
                                     .input = 0,
                                     .weightReads = {m_w.weights},
                                     .needsSaved = false},
                {.name = name + "_weight_dweight",
                    .kernel = widthKernel(h, type, 3, 1, {.calls = 2}),
                    .weightGradients = {m_w.gradients},
                    .workspace = m_s.tokens * h * sizeOf(type)}}),
            .group = RecomputeOp::Norm});
        return y;
    }

    // Removes the gradients of frozen weights.
    [[nodiscard]] std::vector<TapeBackward> trained(std::vector<TapeBackward> backward) const
    {
        if (m_r.freezesWeights())
            std::erase_if(backward, [](const TapeBackward &b) { return !b.weightGradients.empty(); });
        return backward;
    }
};

} // namespace

Value recordNorm(const LayerWriter &writer, Value x, const std::string &name, bool fused)
{
    return NormWriter(writer).norm(x, name, fused);
}

Value recordQkNorm(const LayerWriter &writer, Value x, const std::string &name, std::int64_t width)
{
    return NormWriter(writer).normedHeads(x, name, width);
}

} // namespace slipway
