// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_attention.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

namespace {

class AttentionWriter : private LayerWriter {
public:
    explicit AttentionWriter(const LayerWriter &writer) : LayerWriter(writer) {}

    Value flash(Value q, Value k, Value v)
    {
        if (!m_r.unpadsAttention) {
            const Value out = kernel(q, k, v);
            return m_r.laysOutAttentionOutput ? copied(out, "merged_heads", m_s.qWidth()) : out;
        }
        if (q.id == k.id) { // views of one GEMM
            const Value dense = unpadded(q, "qkv", qkvWidth());
            return padded(kernel(dense, dense, dense));
        }
        const std::int64_t kvWidth = m_r.repeatsKv ? m_s.qWidth() : m_s.kvWidth();
        return padded(kernel(unpadded(q, "q", m_s.qWidth()), unpadded(k, "k", kvWidth), unpadded(v, "v", kvWidth)));
    }

    Value vanilla(Value q, Value k, Value v)
    {
        if (m_r.copiesHeads)
            copyHeads(q, k, v);
        const bool one = q.id == k.id;
        const Value raw = matrix("scores", m_r.compute);
        TapeOp qk{.name = "scores",
            .kernel = bmm(GemmForm::Forward, m_s.seq, m_s.fullSeq, m_s.headDim),
            .inputs = one ? std::vector<Value>{q} : std::vector<Value>{q, k},
            .outputs = {raw},
            .group = RecomputeOp::Attention};
        qk.saves = qk.inputs;
        qk.backward.push_back({.name = "scores_dq",
            .kernel = bmm(GemmForm::InputGradient, m_s.seq, m_s.headDim, m_s.fullSeq),
            .input = 0});
        qk.backward.push_back({.name = "scores_dk",
            .kernel = bmm(GemmForm::WeightGradient, m_s.fullSeq, m_s.headDim, m_s.seq),
            .input = one ? -1 : 1});
        m_tape.add(std::move(qk));

        Value probabilities = m_r.fusedSoftmax || m_r.compiledSoftmax ? softmax(raw, m_r.compute) : softmaxByParts(raw);
        if (m_r.dropout && !m_r.compiledSoftmax)
            probabilities = dropped(probabilities);
        const Value context = tensor("attention_out", m_s.qWidth(), m_r.compute);
        TapeOp pv{.name = "context",
            .kernel = bmm(GemmForm::InputGradient, m_s.seq, m_s.headDim, m_s.fullSeq),
            .inputs = {probabilities, v},
            .outputs = {context},
            .saves = {probabilities, v},
            .group = RecomputeOp::Attention};
        pv.backward.push_back(
            {.name = "context_dp", .kernel = bmm(GemmForm::Forward, m_s.seq, m_s.fullSeq, m_s.headDim), .input = 0});
        pv.backward.push_back({.name = "context_dv",
            .kernel = bmm(GemmForm::WeightGradient, m_s.fullSeq, m_s.headDim, m_s.seq),
            .input = 1});
        m_tape.add(std::move(pv));
        return m_r.copiesHeads ? copied(context, "merged_heads", m_s.qWidth()) : context;
    }

private:
    [[nodiscard]] std::int64_t qkvWidth() const { return m_s.qWidth() + 2 * m_s.kvWidth(); }

    // torch.matmul copies operands whose heads are interleaved in memory into batches. It copies the result back.
    Value copied(Value x, const std::string &name, std::int64_t width)
    {
        const Value y = tensor(name, width, m_r.compute);
        const KernelId copy = bytesKernel(bytesOf(width), bytesOf(width));
        m_tape.add({.name = name,
            .kernel = copy,
            .inputs = {x},
            .outputs = {y},
            .backward = {{.name = name + "_backward", .kernel = copy, .input = 0, .needsSaved = false}},
            .group = RecomputeOp::Attention});
        return y;
    }
    void copyHeads(Value &q, Value &k, Value &v)
    {
        const std::int64_t kv = m_r.repeatsKv ? m_s.qWidth() : m_s.kvWidth();
        if (q.id != k.id) {
            q = copied(q, "q_heads", m_s.qWidth());
            k = copied(k, "k_heads", kv);
            v = copied(v, "v_heads", kv);
            return;
        }
        const Value qkv = q;
        const double all = bytesOf(qkvWidth()), some = bytesOf(m_s.qWidth() + m_s.kvWidth());
        q = tensor("q_heads", m_s.qWidth(), m_r.compute);
        k = tensor("k_heads", m_s.kvWidth(), m_r.compute);
        v = tensor("v_heads", m_s.kvWidth(), m_r.compute);
        // Backward copies two gradients back and concatenates all three.
        m_tape.add({.name = "heads",
            .kernel = bytesKernel(all, all, {.calls = 3}),
            .inputs = {qkv},
            .outputs = {q, k, v},
            .backward = {{.name = "heads_backward",
                .kernel = bytesKernel(some + all, some + all, {.calls = 3}),
                .input = 0,
                .needsSaved = false}},
            .group = RecomputeOp::Attention});
    }

    [[nodiscard]] std::int64_t scores() const { return m_s.batch * m_s.heads * m_s.seq * m_s.fullSeq; }
    Value matrix(const std::string &name, DType type) { return elementsTensor(name, scores(), type); }
    // A kernel over all attention scores. `read` and `written` are bytes per score.
    KernelId matrixKernel(double read, double written)
    {
        return bytesKernel(double(scores()) * read, double(scores()) * written, {.cost = CostClass::Attention});
    }

    // Without balancing, the last context-parallel rank sees all keys, and the mean rank half of them. So it sees 2 -
    // 1/cp times as many pairs.
    [[nodiscard]] std::int64_t keysOfSlowest() const
    {
        return m_r.balancesContextParallel ? m_s.fullSeq : 2 * m_s.fullSeq - m_s.seq;
    }
    // After an all-to-all, a rank has some heads over the whole sequence. It has as many pairs as a rank of a balanced
    // ring.
    KernelId attentionKernel(OpKind kind)
    {
        const std::int64_t parts = m_r.exchangesHeads ? m_s.cp : 1;
        return m_b.kernel({.kind = kind,
            .type = m_r.compute,
            .m = m_s.tokens * parts,
            .n = ceilDiv(m_s.qWidth(), parts),
            .k = keysOfSlowest(),
            .batch = static_cast<std::int32_t>(m_s.batch),
            .seq = static_cast<std::int32_t>(m_s.seq * parts),
            .heads = static_cast<std::int32_t>(ceilDiv(m_s.heads, parts)),
            .kvHeads = static_cast<std::int32_t>(ceilDiv(m_s.kvHeads, parts)),
            .headDim = static_cast<std::int32_t>(m_s.headDim),
            .denseMask = m_r.masksDensely});
    }

    // DeepSpeed's DistributedAttention exchanges queries, keys and values one after another, then the result
    // (deepspeed/sequence/layer.py, single_all_to_all). It creates no new tensors, so its backward is part of
    // attention's.
    KernelId exchangeKernel(std::size_t tensors, std::int64_t width)
    {
        const auto bytes = static_cast<Bytes>(bytesOf(width));
        return m_b.kernel({.kind = OpKind::AllToAll,
            .type = m_r.compute,
            .m = 1,
            .n = bytes,
            .calls = static_cast<std::int32_t>(tensors),
            .messageBytes = bytes,
            .group = m_s.cpGroup});
    }
    void exchangeHeads(const char *name, const std::vector<Value> &values, std::int64_t width)
    {
        if (m_r.exchangesHeads && m_s.cp > 1)
            m_tape.add({.name = name,
                .kernel = exchangeKernel(values.size(), width),
                .inputs = values,
                .outputs = {},
                .group = RecomputeOp::Attention});
    }
    TapeBackward exchangeBack(const char *name, std::size_t tensors, std::int64_t width)
    {
        return {.name = name, .kernel = exchangeKernel(tensors, width), .needsSaved = false};
    }

    // One backward kernel computes the gradients of all inputs. The other ones are only named.
    void nameGradients(TapeOp &op, KernelId kernel, const std::string &name, Bytes workspace)
    {
        const KernelId nothing = viewKernel(m_r.compute);
        op.backward.push_back({.name = name, .kernel = kernel, .input = 0, .workspace = workspace});
        for (int i = 1; i < static_cast<int>(op.inputs.size()); ++i)
            op.backward.push_back({.name = name + "_view", .kernel = nothing, .input = i, .needsSaved = false});
    }

    // Packs the queries, keys or values that a padding mask leaves into one dense tensor, which attention's backward
    // keeps: flash-attn's unpad_input and pad_input (bert_padding.py). Backward scatters into zeros, and gathers.
    Value unpadded(Value x, const std::string &name, std::int64_t width)
    {
        const double bytes = bytesOf(width);
        const Value dense = tensor(name + "_unpadded", width, m_r.compute);
        m_tape.add({.name = name + "_unpad",
            .kernel = bytesKernel(bytes, bytes),
            .inputs = {x},
            .outputs = {dense},
            .backward = {{.name = name + "_unpad_backward",
                .kernel = bytesKernel(bytes, 2 * bytes),
                .input = 0,
                .needsSaved = false}},
            .group = RecomputeOp::Attention});
        return dense;
    }
    Value padded(Value x)
    {
        const double bytes = bytesOf(m_s.qWidth());
        const Value whole = tensor("attention_padded", m_s.qWidth(), m_r.compute);
        m_tape.add({.name = "attention_pad",
            .kernel = bytesKernel(bytes, 2 * bytes),
            .inputs = {x},
            .outputs = {whole},
            .backward = {{.name = "attention_pad_backward",
                .kernel = bytesKernel(bytes, bytes),
                .input = 0,
                .needsSaved = false}},
            .group = RecomputeOp::Attention});
        return whole;
    }

    Value kernel(Value q, Value k, Value v)
    {
        const std::vector<Value> qkv = q.id == k.id ? std::vector<Value>{q} : std::vector<Value>{q, k, v};
        const bool exchanges = m_r.exchangesHeads && m_s.cp > 1;
        exchangeHeads("heads_to_ranks", qkv, qkvWidth());
        const Value out = tensor("attention_out", m_s.qWidth(), m_r.compute);
        const Value lse = bytesTensor("attention_lse", m_s.tokens * m_s.heads * 4);
        TapeOp op{.name = "attention",
            .kernel = attentionKernel(OpKind::FlashAttention),
            .inputs = qkv,
            .outputs = {out},
            .group = RecomputeOp::Attention};
        op.saves = op.inputs;
        op.saves.push_back(out);
        op.saves.push_back(lse);
        if (exchanges)
            op.backward.push_back(exchangeBack("heads_from_ranks_backward", 1, m_s.qWidth()));
        // FlashAttention-2 sums dq in fp32, and keeps a dot product per row.
        nameGradients(op, attentionKernel(OpKind::FlashAttentionBackward), "attention_backward",
            m_s.tokens * m_s.qWidth() * 4 + m_s.tokens * m_s.heads * 4);
        if (m_r.concatenatesGradients && q.id == k.id) { // concatenates the gradients of the three views
            const double all = bytesOf(qkvWidth());
            op.backward.push_back({.name = "qkv_join",
                .kernel = bytesKernel(all, all),
                .needsSaved = false,
                .workspace = static_cast<Bytes>(all)});
        }
        if (exchanges)
            op.backward.push_back(exchangeBack("heads_to_ranks_backward", qkv.size(), qkvWidth()));
        m_tape.add(std::move(op));
        exchangeHeads("heads_from_ranks", {out}, m_s.qWidth());
        return out;
    }

    KernelId bmm(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k)
    {
        return m_b.kernel({.kind = OpKind::Gemm,
            .type = m_r.compute,
            .form = form,
            .cost = CostClass::Attention,
            .m = m,
            .n = n,
            .k = k,
            .batch = static_cast<std::int32_t>(m_s.batch * m_s.heads)});
    }

    // Scales and masks in the type of the scores, with one kernel each. If the softmax is fp32, its result is cast
    // back.
    Value softmaxByParts(Value raw)
    {
        const auto e = double(sizeOf(m_r.compute));
        const Value scaled = matrix("scaled", m_r.compute);
        Value masked = matrix("masked", m_r.compute);
        m_tape.add({.name = "scale",
            .kernel = matrixKernel(e, e),
            .inputs = {raw},
            .outputs = {scaled},
            .backward = {{.name = "scale_backward", .kernel = matrixKernel(e, e), .input = 0, .needsSaved = false}},
            .group = RecomputeOp::Attention});
        TapeOp mask{.name = "mask",
            .kernel = matrixKernel(e, e),
            .inputs = {scaled},
            .outputs = {masked},
            .group = RecomputeOp::Attention};
        if (m_r.maskPasses > 0) { // scores are selected, and so are their gradients
            mask.kernel = matrixKernel(m_r.maskPasses * e, m_r.maskPasses * e);
            mask.backward.push_back({.name = "mask_backward", .kernel = mask.kernel, .input = 0, .needsSaved = false});
        } else {
            mask.passesGradient = {0};
        }
        m_tape.add(std::move(mask));
        if (m_model.attention.sinks)
            masked = withSinks(masked);
        if (m_r.unfusedSoftmax || m_r.compute == DType::Fp32)
            return softmax(masked, m_r.compute);
        const Value wide = softmax(m_r.readsHalfSoftmax ? masked : upcast(masked), DType::Fp32),
                    half = matrix("probabilities", m_r.compute);
        m_tape.add({.name = "softmax_cast",
            .kernel = matrixKernel(4, e),
            .inputs = {wide},
            .outputs = {half},
            .backward = {{.name = "softmax_cast_backward", .kernel = matrixKernel(e, 4), .input = 0}},
            .group = RecomputeOp::Attention});
        return half;
    }

    // GptOssAttention's eager_attention_forward: the sinks become a further column of the scores, from which the
    // largest score of the row is subtracted.
    Value withSinks(Value scores)
    {
        const auto e = double(sizeOf(m_r.compute));
        const Value joined = matrix("scores_with_sinks", m_r.compute), shifted = matrix("shifted_scores", m_r.compute);
        m_tape.add({.name = "join_sinks",
            .kernel = matrixKernel(e, e),
            .inputs = {scores},
            .outputs = {joined},
            .weightReads = {m_w.weights},
            .backward = {{.name = "sinks_dweight",
                .kernel = bytesKernel(bytesOf(m_s.heads), 0),
                .weightGradients = {m_w.gradients},
                .needsSaved = false}},
            .passesGradient = {0},
            .group = RecomputeOp::Attention});
        m_tape.add({.name = "shift_scores",
            .kernel = matrixKernel(2 * e, e),
            .inputs = {joined},
            .outputs = {shifted},
            .backward =
                {{.name = "shift_scores_backward", .kernel = matrixKernel(2 * e, e), .input = 0, .needsSaved = false}},
            .group = RecomputeOp::Attention});
        return shifted;
    }

    Value dropped(Value probabilities)
    {
        const auto e = double(sizeOf(m_r.compute));
        const Value y = matrix("dropped", m_r.compute), mask = bytesTensor("attention_mask", scores());
        m_tape.add({.name = "attention_dropout",
            .kernel = matrixKernel(e, e + 1),
            .inputs = {probabilities},
            .outputs = {y},
            .saves = {mask},
            .backward = {{.name = "attention_dropout_backward", .kernel = matrixKernel(e + 1, e), .input = 0}},
            .group = RecomputeOp::Attention});
        return y;
    }

    // PyTorch's softmax reads fp16 and writes fp32 in one kernel (half_to_float). bf16 scores are cast to fp32 in a
    // separate kernel before.
    Value upcast(Value scores)
    {
        const auto e = double(sizeOf(m_r.compute));
        const Value wide = matrix("scores_fp32", DType::Fp32);
        m_tape.add({.name = "softmax_upcast",
            .kernel = matrixKernel(e, 4),
            .inputs = {scores},
            .outputs = {wide},
            .backward =
                {{.name = "softmax_upcast_backward", .kernel = matrixKernel(4, e), .input = 0, .needsSaved = false}},
            .group = RecomputeOp::Attention});
        return wide;
    }

    // The softmax of all scores, by a kernel that writes `type`. A compiler scales, masks, normalizes and applies
    // dropout in one kernel. If the softmax has the type of the scores, backward needs only the probabilities that the
    // GEMM reads. An fp32 softmax that is cast back is recomputed from the scores. Dropout also needs the probabilities
    // before it, so one more tensor is kept (AOTAutograd's partition, PyTorch 2.11;
    // tests/data/compiled_attention_saved.py).
    Value softmax(Value from, DType type)
    {
        const bool upcasts = type != m_r.compute && !m_r.readsHalfSoftmax;
        const auto out = double(sizeOf(type)), in = upcasts ? out : double(sizeOf(m_r.compute));
        const Value probabilities = matrix(type == m_r.compute ? "probabilities" : "probabilities_fp32", type);
        const bool keepsScores =
            m_r.compiledSoftmax && ((!m_r.unfusedSoftmax && m_r.compute != DType::Fp32) || m_r.dropout);
        std::vector<Value> saves{keepsScores ? from : probabilities}, outputs{probabilities};
        if (m_r.savesSoftmaxInput)
            saves.push_back(from);
        // Random numbers are not generated twice: AOTAutograd keeps dropout's mask (PyTorch 2.11's partition).
        const double chosen = m_r.compiledSoftmax && m_r.dropout ? 1 : 0;
        if (chosen > 0) {
            outputs.push_back(bytesTensor("attention_mask", scores()));
            saves.push_back(outputs.back());
        }
        TapeOp op{.name = "softmax",
            .kernel = matrixKernel(in, out + chosen),
            .inputs = {from},
            .outputs = std::move(outputs),
            .saves = std::move(saves),
            .backward = {{.name = "softmax_backward", .kernel = matrixKernel(2 * out + chosen, in), .input = 0}},
            .group = RecomputeOp::Attention};
        if (m_r.fusedSoftmax) { // overwrites the gradient (Megatron-LM, scaled_upper_triang_masked_softmax)
            op.backward.front().input = -1;
            op.passesGradient = {0};
        }
        m_tape.add(std::move(op));
        return probabilities;
    }
};

} // namespace

Value recordAttention(const LayerWriter &writer, Attention kind, Value queries, Value keys, Value values)
{
    AttentionWriter w(writer);
    return kind == Attention::Vanilla ? w.vanilla(queries, keys, values) : w.flash(queries, keys, values);
}

} // namespace slipway
