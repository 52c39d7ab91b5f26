// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_layer.h"

#include <optional>
#include <utility>

#include "plan/moe_layer.h"
#include "plan/simulated_attention.h"
#include "plan/simulated_linear.h"
#include "plan/simulated_mlp.h"
#include "plan/simulated_norm.h"

namespace slipway {

namespace {

// Combines the parts of a layer.
class BlockWriter : private LayerWriter {
public:
    explicit BlockWriter(const LayerWriter &writer) : LayerWriter(writer), m_linear(writer) {}

    Value mlpPart(Value normed) { return recordMlp(*this, m_linear, normed); }

    Value attentionPart(Value normed, Attention kind)
    {
        const std::int64_t q = m_s.qWidth(), kv = m_s.kvWidth();
        Value queries{}, keys{}, values{};
        if (m_r.fusedQkv) {
            const Value qkv = recordQkNorm(*this, projected(normed, "qkv", q + 2 * kv), "qk_norm", q + 2 * kv);
            queries = keys = values = qkv; // views of one GEMM
            if (m_model.position == Position::Rope && m_r.rotatesApart) {
                // As the values are a view of the GEMM's result, it is kept whole.
                queries = rope(qkv, "rope_q", q);
                keys = rope(qkv, "rope_k", kv);
                repeatHeads(keys, values);
            } else {
                queries = keys = values = rope(qkv, "rope", q + 2 * kv);
            }
        } else {
            queries = rope(recordQkNorm(*this, projected(normed, "q", q), "q_norm", q), "rope_q", q);
            keys = rope(recordQkNorm(*this, projected(normed, "k", kv), "k_norm", kv), "rope_k", kv);
            values = projected(normed, "v", kv);
            repeatHeads(keys, values);
        }
        const Value context = recordAttention(*this, kind, queries, keys, values);
        return m_linear.record(context, "o", m_s.hidden, q, m_model.attention.outBias, WeightSplit::Rows);
    }

    // x + dropout(y + bias). Writes into `out` if it is given.
    Value residual(Value x, Value y, const std::string &name, std::optional<Value> out)
    {
        if (m_r.fusedAddNorm)
            return addedBeforeNorm(x, y, name, out);
        const std::int64_t width = streamWidth();
        const auto target = [&](const std::string &n) { return out ? *out : tensor(n, width, m_r.residual); };
        if (m_r.dropout && !m_r.fusedResidual)
            y = elementwise({y}, name + "_dropout", width, m_r.compute,
                {.saves = {bytesTensor(name + "_mask", m_s.tokens * width)}});
        const Value sum = target(name);
        const bool promotes = m_r.residual != m_r.compute; // a 16-bit tensor is added to an fp32 one
        const double narrow = double(sizeOf(m_r.compute)) / double(sizeOf(m_r.residual));
        TapeOp op{.name = name,
            .kernel = widthKernel(width, m_r.residual, 1 + narrow, 1, {.mixed = promotes}),
            .inputs = {x, y},
            .outputs = {sum},
            .passesGradient = {0, 1}};
        if (promotes && !m_r.fusesAdditions) {
            op.passesGradient = {0};
            op.backward = {{.name = name + "_cast_backward",
                .kernel = widthKernel(width, m_r.residual, 1, narrow, {.mixed = true}),
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
    // The part of a fused kernel before the norm. Its backward part has the gradient of the sum already. It writes that
    // of y, in the type of y.
    Value addedBeforeNorm(Value x, Value y, const std::string &name, std::optional<Value> out)
    {
        const std::int64_t width = streamWidth();
        const Value sum = out ? *out : tensor(name, width, m_r.residual);
        const double wide = bytesOf(width, m_r.residual), narrow = bytesOf(width);
        const Bytes mask = m_r.dropout ? m_s.tokens * width : 0;
        TapeOp op{.name = name,
            .kernel = bytesKernel(wide + narrow, wide + double(mask), m_r.residual),
            .inputs = {x, y},
            .outputs = {sum},
            .passesGradient = {0}};
        if (m_r.dropout)
            op.saves = {bytesTensor(name + "_mask", mask)};
        if (m_r.dropout || m_r.residual != m_r.compute)
            op.backward = {{.name = name + "_backward",
                .kernel = bytesKernel(double(mask), narrow),
                .input = 1,
                .needsSaved = m_r.dropout}};
        else
            op.passesGradient = {0, 1};
        m_tape.add(std::move(op));
        return sum;
    }

    // Projects to queries, keys or values, or to all of them.
    Value projected(Value normed, const std::string &name, std::int64_t width)
    {
        return m_linear.record(normed, name, width, m_s.hidden, m_model.attention.qkvBias, WeightSplit::Columns);
    }

    // A single key-value head stays a view.
    void repeatHeads(Value &keys, Value &values)
    {
        const std::int64_t q = m_s.qWidth(), kv = m_s.kvWidth();
        if (!m_r.repeatsKv || m_model.attention.kvHeads == 1 || kv >= q)
            return;
        keys = repeated(keys, "k", q, kv);
        values = repeated(values, "v", q, kv);
    }

    // Writes keys or values once for each query head (transformers' repeat_kv, torchtitan's, torchtune's expand).
    Value repeated(Value x, const std::string &name, std::int64_t to, std::int64_t from)
    {
        const double wide = bytesOf(to), narrow = bytesOf(from);
        const Value y = tensor(name + "_repeated", to, m_r.compute);
        m_tape.add({.name = name + "_repeat",
            .kernel = bytesKernel(narrow, wide),
            .inputs = {x},
            .outputs = {y},
            .backward = {{.name = name + "_repeat_backward",
                .kernel = bytesKernel(wide, narrow),
                .input = 0,
                .needsSaved = false}},
            .group = RecomputeOp::Rope});
        return y;
    }

    // RoPE keeps no tensors of its own: cosines and sines are shared. Eager code runs negation, concatenation, two
    // multiplications and a sum.
    Value rope(Value x, const std::string &name, std::int64_t width)
    {
        if (m_model.position != Position::Rope)
            return x;
        const double bytes = bytesOf(width);
        const Value y = tensor(name, width, m_r.compute);
        TapeOp op{.name = name,
            .kernel = bytesKernel(2 * bytes, bytes),
            .inputs = {x},
            .outputs = {y},
            .group = RecomputeOp::Rope};
        if (!m_r.fusedRope) {
            // Transformers runs two multiplications, negates one half, concatenates both halves, and sums. Backward
            // pads each half with zeros, adds them, and copies the gradient into the layout of the projection's.
            // torchtitan casts to fp32, runs one complex multiplication, and casts back.
            const auto parts = [&](double moved, std::int32_t calls) {
                return bytesKernel(moved / 2 * bytes, moved / 2 * bytes, {.calls = calls});
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
        op.backward.push_back({.name = name + "_backward", .kernel = bytesKernel(2 * bytes, bytes), .input = 0});
        m_tape.add(std::move(op));
        return y;
    }

    SimulatedLinear m_linear;
};

} // namespace

void recordLayer(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
    const SimulatedSizes &sizes, Attention attention, const LayerParts &parts, Value x, Value out)
{
    const LayerWriter writer(tape, builder, model, recipe, sizes, parts.weights);
    if (recipe.fusedAddNorm)
        tape.fuseSums(x);
    BlockWriter w(writer);
    const auto mlp = [&](Value normed) {
        return model.experts.count > 0 ? recordExperts(writer, parts, normed) : w.mlpPart(normed);
    };
    if (model.block.parallel && !recipe.fusedResidual) {
        const Value normed = recordNorm(writer, x, "attention_norm");
        const Value attended = w.attentionPart(normed, attention);
        w.residual(x, w.sum(mlp(model.block.sharedNorm ? normed : recordNorm(writer, x, "mlp_norm")), attended),
            "residual", out);
        return;
    }
    const Value mid = w.residual(
        x, w.attentionPart(recordNorm(writer, x, "attention_norm"), attention), "attention_residual", std::nullopt);
    if (recipe.fusedAddNorm)
        tape.fuseSums(mid);
    const Value normed = recordNorm(writer, mid, "mlp_norm", recipe.fusesAdditions);
    w.residual(mid, mlp(normed), "mlp_residual", out);
}

} // namespace slipway
