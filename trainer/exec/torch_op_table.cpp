// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands stand in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_table.h"

#include <ATen/ops/add.h>
#include <ATen/ops/from_blob.h>

#include "aten_ops/elementwise.h"
#include "aten_ops/fp8.h"
#include "aten_ops/loss.h"
#include "aten_ops/muon.h"
#include "aten_ops/norms.h"
#include "aten_ops/optimizer.h"
#include "exec/torch_collectives.h"

namespace slipway {
namespace {

// An op's operands as tensors.
class Operands {
public:
    Operands(const OpCall &call, const TorchContext &context) : m_call(call), m_device(context.device) {}

    [[nodiscard]] at::ScalarType type() const { return m_call.kernel.type == DType::Bf16 ? at::kBFloat16 : at::kFloat; }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const
    {
        return tensorAt(m_call.reads[i], sizes, as, m_device);
    }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const
    {
        return tensorAt(m_call.writes[i], sizes, as, m_device);
    }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes) const { return read(i, sizes, type()); }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes) const { return write(i, sizes, type()); }

private:
    const OpCall &m_call;
    at::Device m_device;
};

// The sizes of what attention works on.
struct HeadSizes {
    explicit HeadSizes(const Kernel &k)
        : qkv{k.batch, k.seq, k.heads + 2 * k.kvHeads, k.headDim},
          out{k.batch, k.seq, k.heads, k.headDim},
          lse{k.batch, k.heads, k.seq},
          scores{k.batch, k.heads, k.seq, k.seq}
    {
    }
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
    if (!c.writes[2])
        return;
    load(2, step.documents.positions);
    load(3, step.documents.bounds);
}

void embedding(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::embedding(o.read(0, {m}, at::kInt), o.read(1, {t.vocab, n}), o.write(0, {m, n}));
}

void embeddingBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::embeddingBackward(
        o.read(0, {m}, at::kInt), o.read(1, {m, n}), o.write(0, {c.kernel.k, n}, at::kFloat), c.accumulate);
}

double weightOffset(const StepContext &step) { return step.model.norm.onePlusWeight ? 1 : 0; }

void rmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::rmsNorm(o.read(0, {m, n}), o.read(1, {n}), step.normEps, o.write(0, {m, n}), o.write(1, {m}, at::kFloat),
        weightOffset(step));
}

void addRmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    at::Tensor sum = o.write(0, {m, n});
    at::add_out(sum, o.read(0, {m, n}), o.read(1, {m, n}));
    aten_ops::rmsNorm(
        sum, o.read(2, {n}), step.normEps, o.write(1, {m, n}), o.write(2, {m}, at::kFloat), weightOffset(step));
}

void rmsNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::rmsNormBackward({.dy = o.read(0, {m, n}),
        .x = o.read(1, {m, n}),
        .rstd = o.read(2, {m}, at::kFloat),
        .weight = o.read(3, {n}),
        .residual = c.readCount > 4 ? std::optional(o.read(4, {m, n})) : std::nullopt,
        .dx = o.write(0, {m, n}),
        .dweight = o.write(1, {n}, at::kFloat),
        .accumulate = c.accumulate,
        .weightOffset = weightOffset(step)});
}

// Weights and biases are operands where the model has them.
void layerNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const NormModule &norm = step.model.norm;
    aten_ops::layerNorm({.x = o.read(0, {m, n}),
        .weight = norm.weight ? o.read(1, {n}) : at::Tensor(),
        .bias = norm.bias ? o.read(norm.weight ? 2 : 1, {n}) : at::Tensor(),
        .eps = step.normEps,
        .y = o.write(0, {m, n}),
        .mean = o.write(1, {m}, at::kFloat),
        .rstd = o.write(2, {m}, at::kFloat)});
}

void layerNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const NormModule &norm = step.model.norm;
    const std::size_t residual = norm.weight ? 5 : 4;
    aten_ops::layerNormBackward({.dy = o.read(0, {m, n}),
        .x = o.read(1, {m, n}),
        .mean = o.read(2, {m}, at::kFloat),
        .rstd = o.read(3, {m}, at::kFloat),
        .weight = norm.weight ? o.read(4, {n}) : at::Tensor(),
        .residual = c.readCount > residual ? std::optional(o.read(residual, {m, n})) : std::nullopt,
        .dx = o.write(0, {m, n}),
        .dweight = norm.weight ? o.write(1, {n}, at::kFloat) : at::Tensor(),
        .dbias = norm.bias ? o.write(norm.weight ? 2 : 1, {n}, at::kFloat) : at::Tensor(),
        .accumulate = c.accumulate});
}

void addBias(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::addBias(o.read(1, {c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void biasBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::biasGradient(o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.n}, at::kFloat), c.accumulate);
}

void scale(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const at::Tensor y = o.write(0, {c.kernel.m * c.kernel.n});
    if (c.writes[0] != c.reads[0])
        y.copy_(o.read(0, {c.kernel.m * c.kernel.n}));
    aten_ops::scale(static_cast<double>(c.kernel.scale), y);
}

void addPositions(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t first = step.model.embedding.firstPosition, rows = c.kernel.k;
    aten_ops::addPositions(o.read(1, {rows, c.kernel.n}).narrow(0, first, rows - first),
        o.write(0, {c.kernel.batch, c.kernel.seq, c.kernel.n}));
}

void addPositionsBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t first = step.model.embedding.firstPosition, rows = c.kernel.k;
    const at::Tensor table = o.write(0, {rows, c.kernel.n}, at::kFloat);
    if (!c.accumulate)
        table.narrow(0, 0, first).zero_();
    aten_ops::positionsGradient(
        o.read(0, {c.kernel.batch, c.kernel.seq, c.kernel.n}), table.narrow(0, first, rows - first), c.accumulate);
}

fused_ops::Float floatOf(const Kernel &k)
{
    if (k.type == DType::Fp8)
        return k.form == GemmForm::Forward ? fused_ops::Float::Fp8 : fused_ops::Float::Fp8Wide;
    return k.type == DType::Bf16 ? fused_ops::Float::Bf16 : fused_ops::Float::Fp32;
}

// Of row-major operands without gaps; those of fp8 lie behind their factors, and both have the depth last.
fused_ops::Product productOf(const OpCall &c)
{
    const Kernel &k = c.kernel;
    const bool fp8 = k.type == DType::Fp8, weights = k.form == GemmForm::WeightGradient,
               forward = k.form == GemmForm::Forward || fp8;
    const auto factor = [fp8](const std::byte *operand) {
        return fp8 ? reinterpret_cast<const float *>(operand - kQuantizedOffset) : nullptr;
    };
    return {.m = k.m,
        .n = k.n,
        .k = k.k,
        .transposedA = weights && !fp8,
        .transposedB = forward,
        .type = floatOf(k),
        .result = weights ? fused_ops::Float::Fp32
                  : fp8   ? fused_ops::Float::Bf16
                          : floatOf(k),
        .a = {c.reads[0], weights && !fp8 ? k.m : k.k},
        .b = {c.reads[1], forward ? k.k : k.n},
        .factorA = factor(c.reads[0]),
        .factorB = factor(c.reads[1]),
        .c = c.writes[0],
        .added = k.residual     ? c.reads[2]
                 : c.accumulate ? c.writes[0]
                                : nullptr};
}

// Of bf16; fp32 is for checks.
fused_ops::Workspace workspaceOf(const OpCall &c, const TorchContext &t)
{
    return {.data = c.writes[1], .bytes = c.writes[1] ? t.workspaceBytes : 0};
}

at::ScalarType fp8Type(bool wideRange) { return wideRange ? at::kFloat8_e5m2 : at::kFloat8_e4m3fn; }

void quantize(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const std::array<std::int64_t, 2> sizes =
        c.kernel.transposed ? std::array{n, m} : std::array<std::int64_t, 2>{m, n};
    aten_ops::quantize(o.read(0, {m, n}), c.kernel.transposed, o.write(0, {}, at::kFloat),
        tensorAt(c.writes[0] + kQuantizedOffset, sizes, fp8Type(c.kernel.wideRange), t.device));
}

void fp8Gemm(const OpCall &c, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const bool weights = c.kernel.form == GemmForm::WeightGradient;
    const at::Tensor result = o.write(0, {m, n}, weights ? at::kFloat : at::kBFloat16);
    const auto factor = [&](std::size_t i) {
        return tensorAt(c.reads[i] - kQuantizedOffset, {}, at::kFloat, t.device);
    };
    aten_ops::quantizedProduct({.a = o.read(0, {m, k}, fp8Type(c.kernel.form != GemmForm::Forward)),
        .b = o.read(1, {n, k}, fp8Type(false)),
        .factorA = factor(0),
        .factorB = factor(1),
        .added = c.kernel.residual ? o.read(2, {m, n}, at::kBFloat16)
                 : c.accumulate    ? result
                                   : at::Tensor(),
        .c = result});
}

void oneGemm(const OpCall &c, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const bool weights = c.kernel.form == GemmForm::WeightGradient, forward = c.kernel.form == GemmForm::Forward;
    if (t.products && t.products->multiply(productOf(c), t.queue, workspaceOf(c, t)))
        return;
    if (c.kernel.type == DType::Fp8)
        return fp8Gemm(c, t);
    const at::Tensor a = weights ? o.read(0, {k, m}) : o.read(0, {m, k}),
                     b = forward ? o.read(1, {n, k}) : o.read(1, {k, n});
    const at::Tensor result = o.write(0, {m, n}, weights ? at::kFloat : o.type());
    aten_ops::gemm(c.kernel.form, a, b, result,
        c.kernel.residual ? o.read(2, {m, n})
        : c.accumulate    ? result
                          : at::Tensor(),
        wideProduct(t));
}

// Matrices that follow each other go one by one.
void gemm(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const Bytes in = sizeOf(c.kernel.type), out = c.kernel.form == GemmForm::WeightGradient ? 4 : in;
    OpCall one = c;
    for (std::int64_t i = 0; i < std::max(1, c.kernel.batch); ++i) {
        one.reads[0] = c.reads[0] + i * m * k * in;
        one.reads[1] = c.reads[1] + i * k * n * in;
        one.writes[0] = c.writes[0] + i * m * n * out;
        if (c.kernel.residual)
            one.reads[2] = c.reads[2] + i * m * n * out;
        oneGemm(one, t);
    }
}

void turn(const OpCall &c, const TorchContext &t, bool back)
{
    const HeadSizes sizes(c.kernel);
    const TorchContext::Rotation &rotation = t.rotations[static_cast<std::size_t>(c.kernel.rope)];
    const Operands o(c, t);
    const std::int64_t seq = c.kernel.seq, tokens = c.kernel.batch * seq;
    const auto angles = [&](const at::Tensor &table) {
        return c.readCount < 2
                   ? table.narrow(0, 0, seq)
                   : table.index_select(0, o.read(1, {tokens}, at::kInt)).unflatten(0, {c.kernel.batch, seq});
    };
    aten_ops::rope(o.write(0, sizes.qkv).narrow(2, 0, c.kernel.heads + c.kernel.kvHeads), angles(rotation.cosines),
        angles(rotation.sines), back);
}

// Queries' weights, then keys'.
aten_ops::QkNormWeights qkWeights(const OpCall &c, const StepContext &step, const at::Tensor &weights)
{
    const bool heads = step.model.attention.qkNorm == QkNorm::Head;
    const std::int64_t dim = c.kernel.headDim, q = heads ? dim : c.kernel.heads * dim;
    return {.perHead = heads,
        .q = weights.narrow(0, 0, q),
        .k = weights.narrow(0, q, weights.size(0) - q),
        .weightOffset = weightOffset(step)};
}

struct QkSizes {
    explicit QkSizes(const Kernel &k, bool perHead)
        : qkv{k.m, k.heads + 2 * k.kvHeads, k.headDim},
          qk{k.m, k.heads + k.kvHeads, k.headDim},
          rstd{k.m, perHead ? k.heads + k.kvHeads : 2},
          weights{perHead ? 2 * k.headDim : (k.heads + k.kvHeads) * k.headDim}
    {
    }
    std::array<std::int64_t, 3> qkv, qk;
    std::array<std::int64_t, 2> rstd;
    std::array<std::int64_t, 1> weights;
};

void qkNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, step.model.attention.qkNorm == QkNorm::Head);
    aten_ops::qkNorm(qkWeights(c, step, o.read(1, sizes.weights)), step.normEps, o.write(0, sizes.qkv),
        o.write(1, sizes.qk), o.write(2, sizes.rstd, at::kFloat));
}

void qkNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const QkSizes sizes(c.kernel, step.model.attention.qkNorm == QkNorm::Head);
    const aten_ops::QkNormWeights gradients = qkWeights(c, step, o.write(1, sizes.weights, at::kFloat));
    aten_ops::qkNormBackward(
        qkWeights(c, step, o.read(3, sizes.weights)), {.qk = o.read(1, sizes.qk),
                                                          .rstd = o.read(2, sizes.rstd, at::kFloat),
                                                          .dqkv = o.write(0, sizes.qkv),
                                                          .dqWeight = gradients.q,
                                                          .dkWeight = gradients.k,
                                                          .accumulate = c.accumulate});
}

void rope(const OpCall &c, const StepContext &, const TorchContext &t) { turn(c, t, false); }
void ropeBackward(const OpCall &c, const StepContext &, const TorchContext &t) { turn(c, t, true); }

// With the documents that operand number `place` names the bounds of, where there is one.
aten_ops::AttentionOptions flashOptions(
    const OpCall &c, std::size_t place, const StepContext &step, const TorchContext &t)
{
    aten_ops::AttentionOptions options = attentionOptions(c.kernel, t);
    if (c.readCount > place)
        options.documents = {.device = Operands(c, t).read(place, {std::ssize(step.documents.bounds)}, at::kInt),
            .host = step.documents.bounds,
            .longest = step.documents.longest};
    return options;
}

void flashAttention(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    const aten_ops::AttentionOptions options = flashOptions(c, 1, step, t);
    aten_ops::flashAttention(aten_ops::flashKernelFor(t.flash, options), o.read(0, sizes.qkv), o.write(0, sizes.out),
        o.write(1, sizes.lse, at::kFloat), options);
}

// The planned workspaces stay unused: LibTorch's kernels allocate their own.
void flashAttentionBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const aten_ops::FlashGradient gradient = flashGradientOf(c, step, t);
    aten_ops::flashAttentionBackward(aten_ops::flashKernelFor(t.flash, gradient.options), gradient);
}

void vanillaAttention(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    aten_ops::vanillaAttention(
        o.read(0, sizes.qkv), o.write(0, sizes.scores), o.write(1, sizes.out), attentionOptions(c.kernel, t));
}

void vanillaAttentionBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    aten_ops::vanillaAttentionBackward({.dout = o.read(0, sizes.out),
        .qkv = o.read(1, sizes.qkv),
        .probabilities = o.read(2, sizes.scores),
        .dqkv = o.write(0, sizes.qkv),
        .dscores = o.write(1, sizes.scores),
        .options = attentionOptions(c.kernel, t)});
}

// SwiGLU and its like: which one says the model.
void gatedActivation(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::gated(
        step.model.mlp.activation, o.read(0, {c.kernel.m, 2 * c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void gatedActivationBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::gatedBackward(
        step.model.mlp.activation, o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.m, 2 * c.kernel.n}));
}

void activation(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::activate(
        step.model.mlp.activation, o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void activationBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::activateBackward(
        step.model.mlp.activation, o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

// Gradients of ranks add up in fp32, activations in their type.
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
    const at::Tensor logits = o.write(0, {c.kernel.m, c.kernel.k});
    logits.narrow(1, c.kernel.n, c.kernel.k - c.kernel.n).zero_(); // what fills rows up
    aten_ops::crossEntropy(logits.narrow(1, 0, c.kernel.n), o.read(1, {c.kernel.m}, at::kInt),
        static_cast<double>(step.lossScale), o.write(1, {}, at::kFloat), c.accumulate,
        {.logitScale = step.model.head.logitScale,
            .softCap = step.model.head.softCap,
            .zLoss = static_cast<double>(step.zLoss),
            .zLossSum = t.zLossSum});
}

void sumSquares(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::sumSquares(o.read(0, {c.kernel.n}, at::kFloat), o.write(0, {}, at::kFloat), c.accumulate);
}

void adamW(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const OptimizerStep &choice = step.optimizer;
    const std::int64_t n = c.kernel.n;
    for (const UpdatePart &part : updateParts(c.kernel, step.shard, step.unitRuns, choice)) {
        const auto of = [&part](const at::Tensor &whole) { return whole.narrow(0, part.first, part.count); };
        aten_ops::adamW({.learningRate = choice.learningRate * part.rateFactor,
                            .beta1 = choice.beta1,
                            .beta2 = choice.beta2,
                            .eps = choice.eps,
                            .weightDecay = part.weightDecay,
                            .gradClip = choice.gradClip,
                            .step = choice.step},
            {.parameter = of(o.write(0, {n})),
                .master = of(o.write(1, {n}, at::kFloat)),
                .gradient = of(o.read(0, {n}, at::kFloat)),
                .momentum = of(o.write(2, {n}, at::kFloat)),
                .variance = of(o.write(3, {n}, at::kFloat)),
                .norm2 = o.read(1, {}, at::kFloat)});
    }
}

// Matrices that follow each other, as Muon's ops have them: [count, rows, columns], or the shorter side first.
struct MatrixSizes {
    explicit MatrixSizes(const Kernel &k)
        : whole{std::max(1, k.batch), k.m, k.n},
          wide{whole[0], std::min(k.m, k.n), std::max(k.m, k.n)}
    {
    }
    std::array<std::int64_t, 3> whole, wide;
};

void muonMomentum(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    aten_ops::muonMomentum({.gradient = o.read(0, sizes.whole, at::kFloat),
        .norm2 = o.read(1, {}, at::kFloat),
        .gradClip = step.optimizer.gradClip,
        .momentum = step.optimizer.muonMomentum,
        .buffer = o.write(0, sizes.whole, at::kFloat),
        .x = o.write(1, sizes.wide)});
}

void newtonSchulz(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    aten_ops::newtonSchulz(o.read(0, sizes.whole), o.write(0, sizes.whole));
}

void muonUpdate(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    const OptimizerStep &choice = step.optimizer;
    aten_ops::muonUpdate({.x = o.read(0, sizes.wide),
        .learningRate = t.rates[0],
        .rateFactor = static_cast<double>(c.kernel.scale),
        .weightDecay = choice.noDecay.has(ParameterKind::Matrix) ? 0 : choice.weightDecay,
        .master = o.write(1, sizes.whole, at::kFloat),
        .parameter = o.write(0, sizes.whole)});
}

void average(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::moveAverage(
        o.read(0, {c.kernel.n}, at::kFloat), static_cast<double>(c.kernel.scale), o.write(0, {c.kernel.n}, at::kFloat));
}

void exchange(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::exchange(o.write(0, {c.kernel.n}, at::kFloat), o.write(1, {c.kernel.n}, at::kFloat));
}

void cast(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const at::Tensor from = o.read(0, {c.kernel.n}),
                     to = o.write(0, {c.kernel.n}, c.kernel.type == DType::Fp32 ? at::kBFloat16 : at::kFloat);
    c.accumulate ? to.add_(from) : to.copy_(from);
}

void zero(const OpCall &c, const StepContext &, const TorchContext &t)
{
    tensorAt(c.writes[0], {c.kernel.m * c.kernel.n * sizeOf(c.kernel.type)}, at::kByte, t.device).zero_();
}

} // namespace

aten_ops::FlashGradient flashGradientOf(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const HeadSizes sizes(c.kernel);
    return {.dout = o.read(0, sizes.out),
        .qkv = o.read(1, sizes.qkv),
        .out = o.read(2, sizes.out),
        .lse = o.read(3, sizes.lse, at::kFloat),
        .dqkv = o.write(0, sizes.qkv),
        .options = flashOptions(c, 4, step, t)};
}

aten_ops::AttentionOptions attentionOptions(const Kernel &kernel, const TorchContext &t)
{
    return {.window = kernel.window,
        .scale = static_cast<double>(kernel.scale),
        .softCap = static_cast<double>(kernel.softCap),
        .slopes = t.slopes};
}

at::Tensor tensorAt(const std::byte *address, at::IntArrayRef sizes, at::ScalarType type, at::Device device)
{
    return at::for_blob(const_cast<std::byte *>(address), sizes)
        .options(at::TensorOptions(type).device(device))
        .target_device(device)
        .make_tensor();
}

aten_ops::WideProduct wideProduct(const TorchContext &t)
{
    if (!t.wide)
        t.wide = aten_ops::findWideProduct(t.device);
    return *t.wide;
}

TorchOpFunction torchOpFunction(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch:
        return loadBatch;
    case OpKind::Embedding:
        return embedding;
    case OpKind::EmbeddingBackward:
        return embeddingBackward;
    case OpKind::RmsNorm:
        return rmsNorm;
    case OpKind::AddRmsNorm:
        return addRmsNorm;
    case OpKind::RmsNormBackward:
        return rmsNormBackward;
    case OpKind::Gemm:
        return gemm;
    case OpKind::Rope:
        return rope;
    case OpKind::RopeBackward:
        return ropeBackward;
    case OpKind::FlashAttention:
        return flashAttention;
    case OpKind::FlashAttentionBackward:
        return flashAttentionBackward;
    case OpKind::VanillaAttention:
        return vanillaAttention;
    case OpKind::VanillaAttentionBackward:
        return vanillaAttentionBackward;
    case OpKind::SwiGlu:
    case OpKind::GatedActivation:
        return gatedActivation;
    case OpKind::SwiGluBackward:
    case OpKind::GatedActivationBackward:
        return gatedActivationBackward;
    case OpKind::Activation:
        return activation;
    case OpKind::ActivationBackward:
        return activationBackward;
    case OpKind::LayerNorm:
        return layerNorm;
    case OpKind::LayerNormBackward:
        return layerNormBackward;
    case OpKind::AddBias:
        return addBias;
    case OpKind::BiasBackward:
        return biasBackward;
    case OpKind::Scale:
        return scale;
    case OpKind::AddPositions:
        return addPositions;
    case OpKind::AddPositionsBackward:
        return addPositionsBackward;
    case OpKind::QkNorm:
        return qkNorm;
    case OpKind::QkNormBackward:
        return qkNormBackward;
    case OpKind::Add:
        return add;
    case OpKind::CrossEntropy:
        return crossEntropy;
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::MuonMomentum:
        return muonMomentum;
    case OpKind::NewtonSchulz:
        return newtonSchulz;
    case OpKind::MuonUpdate:
        return muonUpdate;
    case OpKind::Average:
        return average;
    case OpKind::Exchange:
        return exchange;
    case OpKind::Zero:
        return zero;
    case OpKind::Cast:
        return cast;
    case OpKind::Quantize:
        return quantize;
    case OpKind::AllReduce:
    case OpKind::ReduceScatter:
    case OpKind::AllGather:
        return torchCollective(kind);
    case OpKind::Route: // on the processor alone
    case OpKind::RouteBackward:
    case OpKind::Permute:
    case OpKind::PermuteBackward:
    case OpKind::Combine:
    case OpKind::CombineBackward:
    case OpKind::CountExperts:
    case OpKind::GroupedGemm:
    case OpKind::GateRows:
    case OpKind::GateRowsBackward:
    case OpKind::Elementwise: // of simulated frameworks
    case OpKind::HostCopy:
    case OpKind::View:
    case OpKind::LogitStatistics:
    case OpKind::PackKeys:
    case OpKind::UnpackKeys:
    case OpKind::ReceivedRows:
    case OpKind::SendReceive:
    case OpKind::AllToAll:
    case OpKind::Send:
    case OpKind::Receive:
        return nullptr;
    }
    return nullptr;
}

} // namespace slipway
