// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands stand in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_table.h"

#include <ATen/ops/add.h>
#include <ATen/ops/from_blob.h>

#include "tensors/elementwise.h"
#include "tensors/loss.h"
#include "tensors/optimizer.h"

namespace slipway {
namespace {

// An op's operands as tensors.
class Operands {
public:
    Operands(const OpCall &call, const TorchContext &context) : m_call(call), m_device(context.device) {}

    [[nodiscard]] at::ScalarType type() const { return m_call.kernel.type == DType::Bf16 ? at::kBFloat16 : at::kFloat; }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const { return tensorAt(m_call.reads[i], sizes, as, m_device); }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const { return tensorAt(m_call.writes[i], sizes, as, m_device); }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes) const { return read(i, sizes, type()); }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes) const { return write(i, sizes, type()); }

private:
    const OpCall &m_call;
    at::Device m_device;
};

// The sizes of what attention works on.
struct HeadSizes {
    explicit HeadSizes(const Kernel &k)
        : qkv{k.batch, k.seq, k.heads + 2 * k.kvHeads, k.headDim}, out{k.batch, k.seq, k.heads, k.headDim},
          lse{k.batch, k.heads, k.seq}, scores{k.batch, k.heads, k.seq, k.seq} {}
    std::array<std::int64_t, 4> qkv, out;
    std::array<std::int64_t, 3> lse;
    std::array<std::int64_t, 4> scores;
};

void loadBatch(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto load = [&](std::size_t to, std::span<const std::int32_t> ids) {
        const std::int64_t count = std::ssize(ids);
        o.write(to, {count}, at::kInt).copy_(tensorAt(std::as_bytes(ids).data(), {count}, at::kInt, at::kCPU), true);
    };
    load(0, step.tokens);
    load(1, step.targets);
}

void embedding(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    tensors::embedding(o.read(0, {m}, at::kInt), o.read(1, {t.vocab, n}), o.write(0, {m, n}));
}

void embeddingBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    tensors::embeddingBackward(o.read(0, {m}, at::kInt), o.read(1, {m, n}), o.write(0, {c.kernel.k, n}, at::kFloat), c.accumulate);
}

void rmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    tensors::rmsNorm(o.read(0, {m, n}), o.read(1, {n}), step.normEps, o.write(0, {m, n}), o.write(1, {m}, at::kFloat));
}

void addRmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    at::Tensor sum = o.write(0, {m, n});
    at::add_out(sum, o.read(0, {m, n}), o.read(1, {m, n}));
    tensors::rmsNorm(sum, o.read(2, {n}), step.normEps, o.write(1, {m, n}), o.write(2, {m}, at::kFloat));
}

void rmsNormBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    tensors::rmsNormBackward({.dy = o.read(0, {m, n}), .x = o.read(1, {m, n}), .rstd = o.read(2, {m}, at::kFloat), .weight = o.read(3, {n}),
                              .residual = c.readCount > 4 ? std::optional(o.read(4, {m, n})) : std::nullopt, .dx = o.write(0, {m, n}),
                              .dweight = o.write(1, {n}, at::kFloat), .accumulate = c.accumulate});
}

void gemm(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const bool weights = c.kernel.form == GemmForm::WeightGradient, forward = c.kernel.form == GemmForm::Forward;
    const at::Tensor a = weights ? o.read(0, {k, m}) : o.read(0, {m, k}), b = forward ? o.read(1, {n, k}) : o.read(1, {k, n});
    tensors::gemm(c.kernel.form, a, b, o.write(0, {m, n}, weights ? at::kFloat : o.type()), c.accumulate, t.wide);
}

void turn(const OpCall &c, const TorchContext &t, bool back)
{
    const HeadSizes sizes(c.kernel);
    tensors::rope(Operands(c, t).write(0, sizes.qkv).narrow(2, 0, c.kernel.heads + c.kernel.kvHeads), t.cosines, t.sines, back);
}

void rope(const OpCall &c, const StepContext &, const TorchContext &t) { turn(c, t, false); }
void ropeBackward(const OpCall &c, const StepContext &, const TorchContext &t) { turn(c, t, true); }

void flashAttention(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    tensors::flashAttention(t.flash, o.read(0, sizes.qkv), o.write(0, sizes.out), o.write(1, sizes.lse, at::kFloat));
}

// The planned workspaces stay unused: LibTorch's kernels allocate their own.
void flashAttentionBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    tensors::flashAttentionBackward(t.flash, {.dout = o.read(0, sizes.out), .qkv = o.read(1, sizes.qkv), .out = o.read(2, sizes.out),
                                              .lse = o.read(3, sizes.lse, at::kFloat), .dqkv = o.write(0, sizes.qkv)});
}

void vanillaAttention(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    tensors::vanillaAttention(o.read(0, sizes.qkv), o.write(0, sizes.scores), o.write(1, sizes.out));
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    tensors::vanillaAttentionBackward({.dout = o.read(0, sizes.out), .qkv = o.read(1, sizes.qkv), .probabilities = o.read(2, sizes.scores),
                                       .dqkv = o.write(0, sizes.qkv), .dscores = o.write(1, sizes.scores)});
}

void swiGlu(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    tensors::swiGlu(o.read(0, {c.kernel.m, 2 * c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void swiGluBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    tensors::swiGluBackward(o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.m, 2 * c.kernel.n}));
}

void add(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t elements = c.kernel.m * c.kernel.n;
    at::Tensor sum = o.write(0, {elements});
    at::add_out(sum, o.read(0, {elements}), o.read(1, {elements}));
}

void crossEntropy(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    tensors::crossEntropy(o.write(0, {c.kernel.m, c.kernel.n}), o.read(1, {c.kernel.m}, at::kInt), static_cast<double>(step.lossScale),
                          o.write(1, {}, at::kFloat), c.accumulate);
}

void sumSquares(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    tensors::sumSquares(o.read(0, {c.kernel.n}, at::kFloat), o.write(0, {}, at::kFloat), c.accumulate);
}

void adamW(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const OptimizerStep &choice = step.optimizer;
    const std::int64_t n = c.kernel.n;
    tensors::adamW({.learningRate = choice.learningRate, .beta1 = choice.beta1, .beta2 = choice.beta2, .eps = choice.eps,
                    .weightDecay = choice.weightDecay, .gradClip = choice.gradClip, .step = choice.step},
                   {.parameter = o.write(0, {n}), .master = o.write(1, {n}, at::kFloat), .gradient = o.read(0, {n}, at::kFloat),
                    .momentum = o.write(2, {n}, at::kFloat), .variance = o.write(3, {n}, at::kFloat), .norm2 = o.read(1, {}, at::kFloat),
                    .decayed = decayedElements(c.kernel, step.shard)});
}

} // namespace

at::Tensor tensorAt(const std::byte *address, at::IntArrayRef sizes, at::ScalarType type, at::Device device)
{
    return at::for_blob(const_cast<std::byte *>(address), sizes).options(at::TensorOptions(type).device(device)).target_device(device).make_tensor();
}

TorchOpFunction torchOpFunction(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch: return loadBatch;
    case OpKind::Embedding: return embedding;
    case OpKind::EmbeddingBackward: return embeddingBackward;
    case OpKind::RmsNorm: return rmsNorm;
    case OpKind::AddRmsNorm: return addRmsNorm;
    case OpKind::RmsNormBackward: return rmsNormBackward;
    case OpKind::Gemm: return gemm;
    case OpKind::Rope: return rope;
    case OpKind::RopeBackward: return ropeBackward;
    case OpKind::FlashAttention: return flashAttention;
    case OpKind::FlashAttentionBackward: return flashAttentionBackward;
    case OpKind::VanillaAttention: return vanillaAttention;
    case OpKind::VanillaAttentionBackward: return vanillaAttentionBackward;
    case OpKind::SwiGlu: return swiGlu;
    case OpKind::SwiGluBackward: return swiGluBackward;
    case OpKind::Add: return add;
    case OpKind::CrossEntropy: return crossEntropy;
    case OpKind::SumSquares: return sumSquares;
    case OpKind::AdamW: return adamW;
    // Collectives: ranks on GPUs are not there yet.
    case OpKind::Zero:
    case OpKind::AllReduce:
    case OpKind::Elementwise: // of simulated frameworks
    case OpKind::HostCopy:
    case OpKind::View:
    case OpKind::ReduceScatter:
    case OpKind::AllGather:
    case OpKind::SendReceive:
    case OpKind::AllToAll: return nullptr;
    }
    return nullptr;
}

} // namespace slipway
