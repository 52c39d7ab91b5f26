// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_layer.h"

#include <map>
#include <optional>
#include <set>

#include "plan/fp8_scaling.h"
#include "plan/moe_layer.h"
#include "plan/simulated_adapters.h"
#include "plan/simulated_attention.h"

namespace slipway {

namespace {

class LayerWriter {
public:
    LayerWriter(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
        const SimulatedSizes &sizes, const SimulatedWeights &weights)
        : m_tape(tape),
          m_b(builder),
          m_model(model),
          m_r(recipe),
          m_s(sizes),
          m_w(weights)
    {
    }

    // `fused`: of a sum that the same kernel makes.
    Value norm(Value x, const std::string &name, bool fused = false)
    {
        if (!m_r.fusedNorm)
            return eagerRmsNorm(x, name, streamWidth(), m_r.residual);
        // An eager kernel reads and writes one type, a compiler's whatever is there.
        const DType read = sizeOf(m_r.normed) > sizeOf(m_r.residual) ? m_r.normed : m_r.residual;
        return fusedNorm(cast(x, name + "_input", streamWidth(), m_r.residual, read, RecomputeOp::Norm), name,
            streamWidth(), read, m_r.normed, fused);
    }

    Value attentionPart(Value normed, Attention kind)
    {
        const std::int64_t q = m_s.qWidth(), kv = m_s.kvWidth();
        Value queries{}, keys{}, values{};
        if (m_r.fusedQkv) {
            const Value qkv =
                normedHeads(linear(normed, "qkv", q + 2 * kv, m_s.hidden, m_model.attention.qkvBias, Split::Columns),
                    "qk_norm", q + 2 * kv);
            queries = keys = values = qkv; // views of one GEMM
            if (m_model.position == Position::Rope && !m_model.mlp.gated && !m_r.fusedRope) {
                // GPT-NeoX: rotated into tensors of their own, beside the whole GEMM, a part of which the values
                // are.
                queries = rope(qkv, "rope_q", q);
                keys = rope(qkv, "rope_k", kv);
            } else {
                queries = keys = values = rope(qkv, "rope", q + 2 * kv);
            }
        } else {
            queries = rope(
                normedHeads(linear(normed, "q", q, m_s.hidden, m_model.attention.qkvBias, Split::Columns), "q_norm", q),
                "rope_q", q);
            keys = rope(normedHeads(linear(normed, "k", kv, m_s.hidden, m_model.attention.qkvBias, Split::Columns),
                            "k_norm", kv),
                "rope_k", kv);
            values = linear(normed, "v", kv, m_s.hidden, m_model.attention.qkvBias, Split::Columns);
            if (m_r.repeatsKv && m_model.attention.kvHeads > 1 && kv < q) { // one head for all stays a view
                keys = repeated(keys, "k", q, kv);
                values = repeated(values, "v", q, kv);
            }
        }
        const Value context = recordAttention(m_tape, m_b, m_r, m_s, kind, queries, keys, values);
        return linear(context, "o", m_s.hidden, q, m_model.attention.outBias, Split::Rows);
    }

    Value mlpPart(Value normed)
    {
        const std::int64_t f = m_s.ffn;
        if (!m_model.mlp.gated) {
            const Value up = linear(normed, "up", f, m_s.hidden, m_model.mlp.bias, Split::Columns);
            return linear(activated(up), "down", m_s.hidden, f, m_model.mlp.bias, Split::Rows);
        }
        Value activated{};
        if (m_r.fusedGateUp) {
            const Value gateUp = linear(normed, "gate_up", 2 * f, m_s.hidden, m_model.mlp.bias, Split::Columns);
            activated = m_r.fusedMlp
                            ? elementwise({gateUp}, "swiglu", f, m_r.compute, {.saves = {gateUp}, .readScale = 2})
                            : gatedByParts(gateUp);
        } else {
            Value gate = linear(normed, "gate", f, m_s.hidden, m_model.mlp.bias, Split::Columns);
            const Value up = linear(normed, "up", f, m_s.hidden, m_model.mlp.bias, Split::Columns);
            if (!m_r.fusedMlp)
                gate = elementwise({gate}, "silu", f, m_r.compute, {.saves = {gate}});
            activated = m_r.fusesAdditions ? swiglu(gate, up)
                                           : elementwise({gate, up}, m_r.fusedMlp ? "swiglu" : "gate_product", f,
                                                 m_r.compute, {.saves = {gate, up}});
        }
        return linear(activated, "down", m_s.hidden, f, m_model.mlp.bias, Split::Rows);
    }

    // torch.chunk, silu and a product; backward has a kernel for each gradient, and joins both halves.
    Value gatedByParts(Value gateUp)
    {
        const double half = double(m_s.tokens * m_s.ffn * sizeOf(m_r.compute));
        const auto moves = [&](double read, double written, std::int32_t calls) {
            return bytesKernel(read * half, written * half, m_r.compute, calls);
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

    // x + dropout(y + bias), into `out` where given.
    Value residual(Value x, Value y, const std::string &name, std::optional<Value> out)
    {
        const std::int64_t width = streamWidth();
        const auto target = [&](const std::string &n) { return out ? *out : tensor(n, width, m_r.residual); };
        if (m_r.dropout && !m_r.fusedResidual)
            y = elementwise({y}, name + "_dropout", width, m_r.compute,
                {.saves = {bytesTensor(name + "_mask", m_s.tokens * width)}});
        const Value sum = target(name);
        const bool promotes = m_r.residual != m_r.compute; // a half tensor added to a wide one
        const double narrow = double(sizeOf(m_r.compute)) / double(sizeOf(m_r.residual));
        TapeOp op{.name = name,
            .kernel = widthKernel(width, m_r.residual, 1 + narrow, 1, 1, promotes),
            .inputs = {x, y},
            .outputs = {sum},
            .passesGradient = {0, 1}};
        if (promotes && !m_r.fusesAdditions) {
            op.passesGradient = {0};
            op.backward = {{.name = name + "_cast_backward",
                .kernel = widthKernel(width, m_r.residual, 1, narrow, 1, true),
                .input = 1,
                .needsSaved = false}};
        }
        if (m_r.dropout && m_r.fusedResidual) {
            op.saves = {bytesTensor(name + "_mask", m_s.tokens * width)};
            op.passesGradient = {0};
            op.backward = {
                {.name = name + "_backward", .kernel = widthKernel(width, m_r.residual, 1.5, 1), .input = 1}};
        }
        m_tape.add(std::move(op));
        return sum;
    }

    Value sum(Value a, Value b)
    {
        const Value y = tensor("sum", streamWidth(), m_r.compute);
        m_tape.add({.name = "sum",
            .kernel = widthKernel(streamWidth(), m_r.compute, 2, 1),
            .inputs = {a, b},
            .outputs = {y},
            .passesGradient = {0, 1}});
        return y;
    }

private:
    enum class Split { Columns, Rows };
    struct ElementwiseOptions {
        std::vector<Value> saves = {};
        double readScale = 1;
    };

    // Under sequence parallelism a rank keeps its part of what lies between the GEMMs.
    [[nodiscard]] std::int64_t streamWidth() const
    {
        return m_r.sequenceParallel ? ceilDiv(m_s.hidden, m_s.tp) : m_s.hidden;
    }

    Value tensor(const std::string &name, std::int64_t width, DType type)
    {
        return m_tape.tensor(name, m_s.tokens * width * sizeOf(type), Role::Activation, type);
    }
    Value bytesTensor(const std::string &name, Bytes bytes)
    {
        return m_tape.tensor(name, bytes, Role::Activation, DType::Fp32);
    }

    KernelId bytesKernel(double read, double written, DType type, std::int32_t calls = 1, bool mixed = false)
    {
        return m_b.kernel({.kind = OpKind::Elementwise,
            .type = type,
            .calls = calls,
            .mixed = mixed,
            .bytesRead = static_cast<Bytes>(read),
            .bytesWritten = static_cast<Bytes>(written)});
    }
    KernelId mixedKernel(double read, double written, DType type) { return bytesKernel(read, written, type, 1, true); }
    // Element-wise over tokens x width; counts of tensors read and written.
    KernelId widthKernel(
        std::int64_t width, DType type, double reads, double writes, std::int32_t calls = 1, bool mixed = false)
    {
        return bytesKernel(reads * double(m_s.tokens * width * sizeOf(type)),
            writes * double(m_s.tokens * width * sizeOf(type)), type, calls, mixed);
    }

    Value cast(Value x, const std::string &name, std::int64_t width, DType from, DType to,
        RecomputeOp group = RecomputeOp::Activation)
    {
        if (from == to)
            return x;
        const double elements = double(m_s.tokens * width);
        const Value y = tensor(name, width, to);
        m_tape.add({.name = name,
            .kernel = mixedKernel(elements * double(sizeOf(from)), elements * double(sizeOf(to)), to),
            .inputs = {x},
            .outputs = {y},
            .backward = {{.name = name + "_backward",
                .kernel = mixedKernel(elements * double(sizeOf(to)), elements * double(sizeOf(from)), to),
                .input = 0}},
            .group = group});
        return y;
    }

    // Keys or values written once for each query head (transformers' repeat_kv, torchtitan's, torchtune's expand).
    Value repeated(Value x, const std::string &name, std::int64_t to, std::int64_t from)
    {
        const double wide = double(m_s.tokens * to * sizeOf(m_r.compute)),
                     narrow = double(m_s.tokens * from * sizeOf(m_r.compute));
        const Value y = tensor(name + "_repeated", to, m_r.compute);
        m_tape.add({.name = name + "_repeat",
            .kernel = bytesKernel(narrow, wide, m_r.compute),
            .inputs = {x},
            .outputs = {y},
            .backward = {{.name = name + "_repeat_backward",
                .kernel = bytesKernel(wide, narrow, m_r.compute),
                .input = 0,
                .needsSaved = false}},
            .group = RecomputeOp::Rope});
        return y;
    }

    // One kernel over tokens x width in `type`, and as many as inputs backward.
    Value elementwise(const std::vector<Value> &inputs, const std::string &name, std::int64_t width, DType type,
        const ElementwiseOptions &options)
    {
        const double bytes = double(m_s.tokens * width * sizeOf(type));
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

    // Both gradients by one kernel; the second is only named.
    Value swiglu(Value gate, Value up)
    {
        const double bytes = double(m_s.tokens * m_s.ffn * sizeOf(m_r.compute));
        const Value y = tensor("swiglu", m_s.ffn, m_r.compute);
        m_tape.add({.name = "swiglu",
            .kernel = bytesKernel(2 * bytes, bytes, m_r.compute),
            .inputs = {gate, up},
            .outputs = {y},
            .saves = {gate, up},
            .backward = {
                {.name = "swiglu_backward", .kernel = bytesKernel(3 * bytes, 2 * bytes, m_r.compute), .input = 0},
                {.name = "swiglu_backward_up",
                    .kernel = m_b.kernel({.kind = OpKind::View, .type = m_r.compute}),
                    .input = 1,
                    .needsSaved = false}}});
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
        const double bytes = double(m_s.tokens * m_s.ffn * sizeOf(m_r.compute));
        const Value y = tensor("relu", m_s.ffn, m_r.compute);
        m_tape.add({.name = "relu",
            .kernel = bytesKernel(bytes, bytes, m_r.compute),
            .inputs = {x},
            .outputs = {y},
            .saves = {y},
            .backward = {{.name = "relu_backward", .kernel = bytesKernel(2 * bytes, bytes, m_r.compute), .input = 0}}});
        return y;
    }

    // 0.5 x (1 + tanh(c (x + 0.044715 x^3))), an operation after the other; autocast has the power, and all that
    // follows it, in fp32.
    Value unfusedGelu(Value x)
    {
        const std::int64_t f = m_s.ffn;
        const DType type = m_r.autocast ? DType::Fp32 : m_r.compute;
        const double bytes = double(m_s.tokens * f * sizeOf(type));
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
        // Backward of the power: the square, three times it, times the gradient.
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
        // Autograd gives both gradients in the GEMM's type before it casts the first: what that takes beyond its
        // cast.
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

    // Of queries and keys, where the model has it (OLMoE, Qwen 3): a kernel of its own over what the GEMMs wrote.
    Value normedHeads(Value x, const std::string &name, std::int64_t width)
    {
        if (m_model.attention.qkNorm == QkNorm::None)
            return x;
        return m_r.fusedNorm ? fusedNorm(x, name, width, m_r.compute, m_r.compute)
                             : eagerRmsNorm(x, name, width, m_r.compute);
    }

    // Reads one type and writes another, or the same; backward reads both and writes the first.
    Value fusedNorm(
        Value x, const std::string &name, std::int64_t width, DType in, DType out, bool readElsewhere = false)
    {
        const double wide = double(m_s.tokens * width * sizeOf(in)), narrow = double(m_s.tokens * width * sizeOf(out));
        const Value y = tensor(name, width, out);
        const Value statistics =
            bytesTensor(name + "_statistics", m_s.tokens * (m_model.norm.kind == NormKind::LayerNorm ? 8 : 4));
        m_tape.add({.name = name,
            .kernel = bytesKernel(readElsewhere ? 0 : wide, narrow, out),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = {x, statistics},
            .backward = trained({{.name = name + "_backward",
                                     .kernel = bytesKernel(wide + narrow, wide, out),
                                     .input = 0,
                                     .weightReads = {m_w.weights}},
                {.name = name + "_dweight",
                    .kernel = bytesKernel(wide + narrow, 0, out),
                    .weightGradients = {m_w.gradients}}}),
            .group = RecomputeOp::Norm});
        return y;
    }

    // transformers' LlamaRMSNorm: to fp32, square, mean, rsqrt, multiply, back, weight. Backward as autograd writes it:
    // the power of one, twice it, times the gradient; elementwise products in whole before they are summed to a row's
    // or the weight's gradient.
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
                .kernel = bytesKernel(4 * bytes32, 3 * bytes32, DType::Fp32, 3),
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
                    .kernel = bytesKernel(3 * bytes32, bytes32, DType::Fp32, 2),
                    .input = 1,
                    .workspace = wide}},
            .group = RecomputeOp::Norm});
        if (m_model.norm.fp32Weight)
            return cast(
                weighted(scaled, name, h, DType::Fp32), name + "_cast", h, DType::Fp32, type, RecomputeOp::Norm);
        return weighted(cast(scaled, name + "_cast", h, DType::Fp32, type, RecomputeOp::Norm), name, h, type);
    }

    // Times a norm's weight.
    Value weighted(Value x, const std::string &name, std::int64_t h, DType type)
    {
        const Value y = tensor(name + (m_model.norm.fp32Weight ? "_weighted" : ""), h, type);
        m_tape.add({.name = name + "_weight",
            .kernel = widthKernel(h, type, 1, 1),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = m_r.freezes() ? std::vector<Value>{} : std::vector<Value>{x},
            .backward = trained({{.name = name + "_weight_dx",
                                     .kernel = widthKernel(h, type, 1, 1),
                                     .input = 0,
                                     .weightReads = {m_w.weights},
                                     .needsSaved = false},
                {.name = name + "_weight_dweight",
                    .kernel = widthKernel(h, type, 3, 1, 2),
                    .weightGradients = {m_w.gradients},
                    .workspace = m_s.tokens * h * sizeOf(type)}}),
            .group = RecomputeOp::Norm});
        return y;
    }

    // Without the gradients of weights that are frozen.
    [[nodiscard]] std::vector<TapeBackward> trained(std::vector<TapeBackward> backward) const
    {
        if (m_r.freezes())
            std::erase_if(backward, [](const TapeBackward &b) { return !b.weightGradients.empty(); });
        return backward;
    }

    KernelId scaling(double elements, int layouts = 2) { return fp8Scaling(m_b, m_r, elements, layouts); }
    // Of a weight: in fp8 where the recipe has it.
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
    // Scaled to fp8 in two layouts, as Hopper's GEMMs want their operands; the second waits for the weight's
    // gradient. TransformerEngine keeps that one; PyTorch's float8 keeps the half tensor and scales it again. GEMMs
    // that read one input each scale it (torchao's Float8Linear), which a compiler does once.
    Value quantize(Value x, const std::string &name, std::int64_t width)
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
    KernelId tpCollective(Bytes bytes, OpKind kind = OpKind::AllReduce, bool overlapsGemm = false)
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

    // y = x W^T + b, its operands cast first where autocast does. Tensor parallelism: columns gather or copy before and
    // reduce the input's gradient, rows reduce after.
    Value linear(Value x, const std::string &name, std::int64_t out, std::int64_t in, bool bias, Split split)
    {
        const bool fromStream = split == Split::Columns;
        // Megatron-LM gathers a sequence-parallel input for the GEMM, and again for the weight's gradient.
        const Bytes whole = m_s.tp > 1 && fromStream && m_r.sequenceParallel && !m_r.keepsGathered && !m_r.sharesBuffer
                                ? m_s.tokens * in * sizeOf(m_r.compute)
                                : 0;
        if (fromStream)
            x = gathered(cast(x, name + "_input", streamWidth(), m_r.normed, m_r.compute), name);
        if (m_r.freezes())
            return recordAdapted(m_tape, m_b, m_r, m_s.tokens, m_w, x, {.name = name, .out = out, .in = in});
        const Bytes message = m_s.tokens * m_s.hidden * sizeOf(m_r.compute);
        const Value y = tensor(name, out, m_r.compute);
        TapeOp op{.name = name,
            .kernel = gemmKernel(GemmForm::Forward, m_s.tokens, out, in),
            .inputs = {x},
            .outputs = {y},
            .weightReads = {m_w.weights},
            .saves = {x},
            .workspace = whole,
            .group = RecomputeOp::Linear};
        if (m_r.gemmInput == DType::Fp8) {
            op.saves = {quantize(x, name, split == Split::Columns ? m_s.hidden : in)};
            if (!m_r.keepsFp8) { // weights anew for this GEMM and for the gradient's, each in its layout
                m_tape.add({.name = name + "_quantize_weight",
                    .kernel = scaling(double(out * in), 1),
                    .inputs = {},
                    .outputs = {},
                    .weightReads = {m_w.weights},
                    .workspace = out * in});
                op.backward.push_back({.name = name + "_quantize_weight_again",
                    .kernel = scaling(double(out * in), 1),
                    .weightReads = {m_w.weights},
                    .needsSaved = false,
                    .workspace = out * in});
            }
        }
        const Bytes halfWeight = out * in * sizeOf(m_r.compute);
        if (m_r.castWeights) {
            op.inputs.push_back(castWeight(name, out * in));
            op.saves.push_back(op.inputs.back());
        }
        if (m_s.tp > 1 && split == Split::Columns && m_r.sequenceParallel && !m_r.keepsGathered)
            m_tape.add({.name = name + "_gather",
                .kernel = tpCollective(message, OpKind::AllGather),
                .inputs = {x},
                .outputs = {}});
        if (m_r.gemmInput == DType::Fp8) // the gradient in both layouts
            op.backward.push_back({.name = name + "_quantize_gradient",
                .kernel = scaling(double(m_s.tokens * out)),
                .needsSaved = false,
                .workspace = 2 * m_s.tokens * out});
        op.backward.push_back({.name = name + "_dx",
            .kernel = gemmKernel(GemmForm::InputGradient, m_s.tokens, in, out),
            .input = 0,
            .weightReads = {m_w.weights},
            .workspace = whole});
        if (m_s.tp > 1 && split == Split::Columns && !m_r.keepsGathered)
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
                .kernel = bytesKernel(double(m_s.tokens * out * sizeOf(m_r.compute)), 0, m_r.compute),
                .weightGradients = {m_w.gradients},
                .needsSaved = false});
        m_tape.add(std::move(op));
        return m_s.tp > 1 && split == Split::Rows ? reduced(y, name, message) : y;
    }

    // The sum of the ranks' parts: each rank's own rows of it where the sequence is split, else all of it in place.
    Value reduced(Value part, const std::string &name, Bytes message)
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

    // PyTorch's collectives work along the first dimension: along the sequence, what they move is copied into place.
    KernelId layout(Bytes message) { return bytesKernel(double(message), double(message), m_r.compute); }

    // Of a sequence-parallel input that backward keeps whole: gathered once for all GEMMs that read it.
    Value gathered(Value x, const std::string &name)
    {
        if (m_s.tp == 1 || !m_r.sequenceParallel || !m_r.keepsGathered)
            return x;
        if (const auto found = m_gathered.find(x.id); found != m_gathered.end())
            return found->second;
        const Bytes message = m_s.tokens * m_s.hidden * sizeOf(m_r.compute),
                    sent = m_r.gathersFp8 ? message / sizeOf(m_r.compute) : message;
        const Value whole = tensor(name + "_gathered", m_s.hidden, m_r.compute);
        if (m_r.gathersFp8) {
            m_tape.add({.name = name + "_quantize_part",
                .kernel = scaling(double(m_s.tokens * streamWidth()), 1),
                .inputs = {x}});
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

    // Kept by autocast's cache and by the GEMM's backward.
    Value castWeight(const std::string &name, std::int64_t elements)
    {
        const Value half =
            m_tape.tensor(name + "_weight_half", elements * sizeOf(m_r.compute), Role::Workspace, m_r.compute);
        m_tape.add({.name = name + "_cast_weight",
            .kernel = mixedKernel(double(elements) * 4, double(elements * sizeOf(m_r.compute)), m_r.compute),
            .inputs = {},
            .outputs = {half},
            .weightReads = {m_w.weights}});
        return half;
    }

    // Rotation keeps nothing of its own: cosines and sines are shared. Eager code: negate, concatenate, two
    // multiplications, sum.
    Value rope(Value x, const std::string &name, std::int64_t width)
    {
        if (m_model.position != Position::Rope)
            return x;
        const double bytes = double(m_s.tokens * width * sizeOf(m_r.compute));
        const Value y = tensor(name, width, m_r.compute);
        TapeOp op{.name = name,
            .kernel = bytesKernel(2 * bytes, bytes, m_r.compute),
            .inputs = {x},
            .outputs = {y},
            .group = RecomputeOp::Rope};
        if (!m_r.fusedRope) {
            // Transformers: two multiplications, half of it negated, both halves joined, then the sum; backward pads
            // each half with zeros, adds them, and lays the gradient out anew for the projection's. torchtitan: to
            // fp32, one complex product, back.
            const auto parts = [&](double moved, std::int32_t calls) {
                return bytesKernel(moved / 2 * bytes, moved / 2 * bytes, m_r.compute, calls);
            };
            m_tape.add({.name = name + "_parts",
                .kernel = m_r.complexRope ? parts(7, 2) : parts(7, 4),
                .inputs = {x},
                .outputs = {},
                .workspace = x.id >= 0 ? static_cast<Bytes>(bytes) : 0});
            op.backward.push_back({.name = name + "_parts_backward",
                .kernel = m_r.complexRope ? parts(7, 2) : parts(14, 9),
                .needsSaved = false});
        }
        op.backward.push_back(
            {.name = name + "_backward", .kernel = bytesKernel(2 * bytes, bytes, m_r.compute), .input = 0});
        m_tape.add(std::move(op));
        return y;
    }

    Tape &m_tape;
    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const FrameworkRecipe &m_r;
    const SimulatedSizes &m_s;
    const SimulatedWeights &m_w;
    std::map<int, Value> m_gathered; // by the value that was gathered
    std::set<int> m_scaled;          // to fp8, for all that read it
};

} // namespace

void recordLayer(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
    const SimulatedSizes &sizes, Attention attention, const LayerParts &parts, Value x, Value out)
{
    LayerWriter w(tape, builder, model, recipe, sizes, parts.weights);
    const auto mlp = [&](Value normed) {
        return model.experts.count > 0 ? recordExperts(tape, builder, model, recipe, sizes, parts, normed)
                                       : w.mlpPart(normed);
    };
    if (model.block.parallel && !recipe.fusedResidual) {
        const Value normed = w.norm(x, "attention_norm");
        const Value attended = w.attentionPart(normed, attention);
        w.residual(x, w.sum(mlp(model.block.sharedNorm ? normed : w.norm(x, "mlp_norm")), attended), "residual", out);
        return;
    }
    const Value mid =
        w.residual(x, w.attentionPart(w.norm(x, "attention_norm"), attention), "attention_residual", std::nullopt);
    const Value normed = w.norm(mid, "mlp_norm", recipe.fusesAdditions);
    w.residual(mid, mlp(normed), "mlp_residual", out);
}

Value recordNorm(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
    const SimulatedSizes &sizes, const SimulatedWeights &weights, Value x, const std::string &name)
{
    return LayerWriter(tape, builder, model, recipe, sizes, weights).norm(x, name);
}

} // namespace slipway
