// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_mlp.h"

#include <string>
#include <utility>

namespace slipway {

namespace {

class MlpWriter : private LayerWriter {
public:
    MlpWriter(const LayerWriter &writer, SimulatedLinear &linear) : LayerWriter(writer), m_linear(linear) {}

    Value mlp(Value normed)
    {
        const std::int64_t f = m_s.ffn;
        if (m_r.activatesInGemm) {
            const Value activated = tensor("gelu", f, m_r.compute);
            const Value up = m_linear.record(
                normed, "up", f, m_s.hidden, m_model.mlp.bias, WeightSplit::Columns, {.result = activated});
            return m_linear.record(
                activated, "down", m_s.hidden, f, m_model.mlp.bias, WeightSplit::Rows, {.input = up});
        }
        if (!m_model.mlp.gated) {
            const Value up = m_linear.record(normed, "up", f, m_s.hidden, m_model.mlp.bias, WeightSplit::Columns);
            return m_linear.record(activated(up), "down", m_s.hidden, f, m_model.mlp.bias, WeightSplit::Rows);
        }
        Value activated{};
        if (m_r.fusedGateUp) {
            const Value gateUp =
                m_linear.record(normed, "gate_up", 2 * f, m_s.hidden, m_model.mlp.bias, WeightSplit::Columns);
            activated = m_r.fusedMlp
                            ? elementwise({gateUp}, "swiglu", f, m_r.compute, {.saves = {gateUp}, .readScale = 2})
                            : gatedByParts(gateUp);
        } else {
            Value gate = m_linear.record(normed, "gate", f, m_s.hidden, m_model.mlp.bias, WeightSplit::Columns);
            const Value up = m_linear.record(normed, "up", f, m_s.hidden, m_model.mlp.bias, WeightSplit::Columns);
            if (!m_r.fusedMlp)
                gate = elementwise({gate}, "silu", f, m_r.compute, {.saves = {gate}});
            activated = m_r.fusesAdditions ? swiglu(gate, up)
                                           : elementwise({gate, up}, m_r.fusedMlp ? "swiglu" : "gate_product", f,
                                                 m_r.compute, {.saves = {gate, up}});
        }
        return m_linear.record(activated, "down", m_s.hidden, f, m_model.mlp.bias, WeightSplit::Rows);
    }

private:
    // torch.chunk, silu and a multiplication. Backward has one kernel per gradient, and concatenates both halves.
    Value gatedByParts(Value gateUp)
    {
        const double half = bytesOf(m_s.ffn);
        const auto moves = [&](double read, double written, std::int32_t calls) {
            return bytesKernel(read * half, written * half, {.calls = calls});
        };
        const Value gate = tensor("silu", m_s.ffn, m_r.compute), y = tensor("gate_product", m_s.ffn, m_r.compute);
        m_tape.add({.name = "silu", .kernel = moves(1, 1, 1), .inputs = {gateUp}, .outputs = {gate}});
        m_tape.add({.name = "gate_product",
            .kernel = moves(2, 1, 1),
            .inputs = {gateUp},
            .outputs = {y},
            .saves = {gateUp, gate},
            .backward = {{.name = "gate_product_backward", .kernel = moves(4, 2, 2), .needsSaved = false},
                {.name = "silu_backward", .kernel = moves(4, 3, 2), .input = 0}}});
        return y;
    }

    // One kernel computes both gradients. The second one is only named.
    Value swiglu(Value gate, Value up)
    {
        const double bytes = bytesOf(m_s.ffn);
        const Value y = tensor("swiglu", m_s.ffn, m_r.compute);
        m_tape.add({.name = "swiglu",
            .kernel = bytesKernel(2 * bytes, bytes),
            .inputs = {gate, up},
            .outputs = {y},
            .saves = {gate, up},
            .backward = {{.name = "swiglu_backward", .kernel = bytesKernel(3 * bytes, 2 * bytes), .input = 0},
                {.name = "swiglu_backward_up", .kernel = viewKernel(m_r.compute), .input = 1, .needsSaved = false}}});
        return y;
    }

    Value activated(Value up)
    {
        const std::int64_t f = m_s.ffn;
        if (m_model.mlp.hasRelu())
            return relu(up);
        if (m_model.mlp.byParts && !m_r.fusedResidual)
            return unfusedGelu(up);
        if (!m_r.fp32Gelu)
            return elementwise({up}, "gelu", f, m_r.compute, {.saves = {up}});
        const Value wide = cast(up, "gelu_input", f, m_r.compute, DType::Fp32);
        return cast(
            elementwise({wide}, "gelu", f, DType::Fp32, {.saves = {wide}}), "gelu_output", f, DType::Fp32, m_r.compute);
    }

    // Backward reads the result, which the next GEMM keeps as well.
    Value relu(Value x)
    {
        const double bytes = bytesOf(m_s.ffn);
        const Value y = tensor("relu", m_s.ffn, m_r.compute);
        m_tape.add({.name = "relu",
            .kernel = bytesKernel(bytes, bytes),
            .inputs = {x},
            .outputs = {y},
            .saves = {y},
            .backward = {{.name = "relu_backward", .kernel = bytesKernel(2 * bytes, bytes), .input = 0}}});
        return y;
    }

    // 0.5 x (1 + tanh(c (x + 0.044715 x^3))), one operation after another. Under autocast, the power and everything
    // after it are in fp32.
    Value unfusedGelu(Value x)
    {
        const std::int64_t f = m_s.ffn;
        const DType type = m_r.autocast ? DType::Fp32 : m_r.compute;
        const double bytes = bytesOf(f, type);
        const auto part = [&](const std::string &name, Value in, double backwardReads, bool keepsIn, bool keepsOut) {
            const Value out = tensor("gelu_" + name, f, type);
            TapeOp op{.name = "gelu_" + name,
                .kernel = bytesKernel(bytes, bytes, type),
                .inputs = {in},
                .outputs = {out},
                .group = RecomputeOp::Activation};
            if (keepsIn || keepsOut)
                op.saves = {keepsIn ? in : out};
            op.backward = {{.name = op.name + "_backward",
                .kernel = bytesKernel(backwardReads * bytes, bytes, type),
                .input = 0,
                .needsSaved = !op.saves.empty(),
                .workspace = keepsIn ? static_cast<Bytes>(bytes) : 0}};
            m_tape.add(std::move(op));
            return out;
        };
        const Value half = elementwise({x}, "gelu_half", f, m_r.compute, {});
        // Backward of the power computes the square, multiplies it by three, and multiplies by the gradient.
        const Value cube =
            part("cube", part("power", cast(x, "gelu_input", f, m_r.compute, type), 5, true, false), 1, false, false);
        const Value sum = tensor("gelu_sum", f, type);
        m_tape.add({.name = "gelu_sum",
            .kernel = bytesKernel(2 * bytes, bytes, type),
            .inputs = {x, cube},
            .outputs = {sum},
            .passesGradient = {0, 1},
            .group = RecomputeOp::Activation});
        const Value tanh = part("tanh", part("scale", sum, 1, false, false), 2, false, true);
        const Value one = part("one", tanh, 0, false, false);
        const Value activated = tensor("gelu", f, type);
        // Autograd computes both gradients in the GEMM's type before it casts the first one. This is the memory beyond
        // its cast.
        const Bytes uncast = m_s.tokens * f * (sizeOf(type) - sizeOf(m_r.compute));
        const KernelId twoIn = bytesKernel(2 * bytes, bytes, type);
        m_tape.add({.name = "gelu",
            .kernel = twoIn,
            .inputs = {half, one},
            .outputs = {activated},
            .saves = {half, one},
            .backward = {{.name = "gelu_dhalf", .kernel = twoIn, .input = 0},
                {.name = "gelu_dtanh", .kernel = twoIn, .input = 1, .workspace = uncast}},
            .group = RecomputeOp::Activation});
        return cast(activated, "gelu_output", f, type, m_r.compute);
    }

    SimulatedLinear &m_linear;
};

} // namespace

Value recordMlp(const LayerWriter &writer, SimulatedLinear &linear, Value normed)
{
    return MlpWriter(writer, linear).mlp(normed);
}

} // namespace slipway
