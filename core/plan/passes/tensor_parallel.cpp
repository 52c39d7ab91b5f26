// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shards the blocks of a step over tensor-parallel ranks. Each rank computes GEMMs with a range of the weight's rows or
// columns (Shoeybi et al. 2019, arXiv 1909.08053, section 3), and embedding and loss with a range of the vocabulary.
// The residual stream between them is sharded by tokens: sequence parallelism (Korthikanti et al. 2022, arXiv
// 2205.05198, section 4.2.2).
//
// This pass adds the collectives: an all-gather of the stream before each op that reads all of its tokens, and a
// reduce-scatter after each op that computes partial sums of it. Experts have a range of their MLP width on each rank,
// too. All ranks route all tokens, and the ops after that are linear in the experts' outputs: the branch is reduced
// once, after its last op. A norm of queries and keys over all heads needs the sums of all ranks: all-reduces of one
// number per token and norm, in forward and backward.
#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "plan/passes/rank_split.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

// Per row of logits: the maximum, the sum of exponentials, and the target's logit.
constexpr std::int64_t kStatistics = 3;

// Per token: one for the norm of the queries, one for that of the keys.
constexpr std::int64_t kNormSums = 2;

bool isBufferOf(const ParameterUnit &unit, BufferId buffer)
{
    return buffer == unit.parameter || buffer == unit.gradient || buffer == unit.gathered ||
           buffer == unit.fullGradient;
}

class TensorParallel : public RankSplit {
public:
    explicit TensorParallel(const StrategyParts &parts)
        : RankSplit(parts.builder, parts.layout.tensorGroup),
          m_l(parts.layout),
          m_s(parts.layout.sizes),
          m_normsAllHeads(parts.model.attention.qkNorm == QkNorm::Full),
          m_ofExperts(m_l.layer.experts ? m_l.layer.experts->all() : std::vector<BufferId>())
    {
    }

    void transform(Block &block, BlockKind kind) override;
    // Reduces the gradients of weights that all ranks have in full, and of key-value heads that several ranks share,
    // because each rank computes them from its own tokens or queries.

private:
    struct Split {
        std::vector<Op> ops;
        std::map<BufferId, BufferId> gathered; // sharded parts of the stream, and the buffers with all their tokens
    };
    // Adds collectives around GEMMs of sharded weights, embeddings and learned positions.
    void splitOps(Block &block);
    void splitOp(Split &split, Op op);
    // In fp8, the ops `left` and `right` write the operands of `gemm`.
    void splitFp8Gemm(Split &split, Op left, Op right, Op gemm);
    void splitQkNorm(Split &split, Op op) const;
    void splitQkNormBackward(Split &split, Op op);
    void gatherOperand(Split &split, Op &op, std::size_t operand);
    void scatterResult(Split &split, Op op);
    // Reduces the partial sums of all ranks to `result`, and adds the residual once.
    void joinParts(Split &split, const std::string &name, Phase phase, BufferId partial, Use result,
        const std::optional<Use> &residual);
    // Treats the branch of the experts as one op; its ops are adjacent.
    void splitExperts(Split &split, std::span<Op> branch);
    // How the ranks share a GEMM with this weight, or with this gradient of a weight.
    enum class GemmSplit { None, GatherFirst, GatherSecond, Scatter };
    [[nodiscard]] GemmSplit gemmSplit(const Kernel &gemm, const Use &weight) const;
    [[nodiscard]] bool isOfExperts(const Op &op) const;
    [[nodiscard]] bool isOfStream(const Use &use) const;
    // The LM head reads all tokens of the normalized stream.
    void splitFinalNorm(Block &block) const;
    void splitFinalNormBackward(Block &block) const;
    // The loss over a sharded vocabulary: the statistics of each row are all-gathered from all ranks, [ranks, rows, 3].
    void splitLoss(Block &block);
    // gather: an op that all-gathers the tokens of a shard of the stream. scatter: ops that sum `all` over the ranks
    // and leave each rank its shard.
    [[nodiscard]] Op gather(std::string name, Phase phase, Use part, BufferId all) const;
    // The padding of the shards is set to 0 first.
    [[nodiscard]] std::vector<Op> scatter(const std::string &name, Phase phase, BufferId all, Use part) const;
    [[nodiscard]] WeightPlacement placementOf(const Use &weight) const;
    // All ranks have shards of the same size, which are padded with rows after the last token. Sums over the padding
    // are 0.
    [[nodiscard]] std::int64_t partTokens() const { return ceilDiv(m_s.tokens, std::int64_t{ranks()}); }
    [[nodiscard]] std::int64_t allTokens() const { return partTokens() * ranks(); } // including the padding
    [[nodiscard]] KernelId collective(OpKind kind) const;
    // The kernel for operands that are sharded over the ranks.
    [[nodiscard]] KernelId kernelOfGroup(KernelId kernel) const;
    // Sums the numbers of a norm of queries and of one of keys over the ranks.
    [[nodiscard]] Op sumNorms(std::string name, Phase phase, Use sums) const;
    // A buffer for `tokens` tokens of the stream.
    BufferId stream(const std::string &name, std::int64_t tokens)
    {
        return buffer(name, tokens * m_s.hidden * sizeOf(m_s.type), m_s.type);
    }

    const Layout &m_l;
    const Sizes &m_s;
    const bool m_normsAllHeads;              // of queries and keys
    const std::vector<BufferId> m_ofExperts; // the buffers of the experts' branch
};

KernelId TensorParallel::collective(OpKind kind) const
{
    return m_b.collective(kind, m_s.type, allTokens() * m_s.hidden, m_group);
}

KernelId TensorParallel::kernelOfGroup(KernelId kernel) const
{
    Kernel sharded = m_b.plan.at(kernel);
    sharded.group = m_group;
    return m_b.kernel(sharded);
}

Op TensorParallel::sumNorms(std::string name, Phase phase, Use sums) const
{
    return {.name = std::move(name),
        .kernel = m_b.collective(OpKind::AllReduce, DType::Fp32, m_s.tokens * kNormSums, m_group),
        .phase = phase,
        .reads = {sums},
        .writes = {sums}};
}

Op TensorParallel::gather(std::string name, Phase phase, Use part, BufferId all) const
{
    return {.name = std::move(name),
        .kernel = collective(OpKind::AllGather),
        .phase = phase,
        .reads = {part},
        .writes = {at(all)}};
}

std::vector<Op> TensorParallel::scatter(const std::string &name, Phase phase, BufferId all, Use part) const
{
    std::vector<Op> ops;
    if (const std::int64_t rows = allTokens() - m_s.tokens; rows > 0)
        ops.push_back({.name = name + "_fill",
            .kernel = m_b.kernel({.kind = OpKind::Zero, .type = m_s.type, .m = rows, .n = m_s.hidden}),
            .phase = phase,
            .reads = {at(all)},
            .writes = {{.buffer = all, .offset = m_s.tokens * m_s.hidden * sizeOf(m_s.type)}}});
    ops.push_back({.name = name,
        .kernel = collective(OpKind::ReduceScatter),
        .phase = phase,
        .reads = {at(all)},
        .writes = {part}});
    return ops;
}

WeightPlacement TensorParallel::placementOf(const Use &weight) const
{
    const StepPlan &plan = m_b.plan;
    const std::int64_t offset = weight.offset / sizeOf(plan.at(weight.buffer).type);
    for (const ParameterUnit &unit : plan.units) {
        if (!isBufferOf(unit, weight.buffer))
            continue;
        for (const ParameterTensor &tensor : plan.tensors) {
            if (tensor.parameter == unit.parameter && tensor.offset == offset)
                return tensor.placement;
        }
    }
    return WeightPlacement::Whole;
}

void TensorParallel::gatherOperand(Split &split, Op &op, std::size_t operand)
{
    Use &read = op.reads[operand];
    const auto known = split.gathered.find(read.buffer);
    if (known != split.gathered.end()) {
        read = at(known->second);
        return;
    }
    const BufferId all = stream(m_b.plan.at(read.buffer).name + "_gathered", allTokens());
    split.ops.push_back(gather(op.name + "_gather", op.phase, read, all));
    split.gathered[read.buffer] = all;
    read = at(all);
}

// A residual is added once, after the reduction.
void TensorParallel::scatterResult(Split &split, Op op)
{
    const Use result = op.writes.front();
    const BufferId partial = stream(m_b.plan.at(result.buffer).name + "_partial", allTokens());
    Kernel kernel = m_b.plan.at(op.kernel);
    std::optional<Use> residual;
    if (std::exchange(kernel.residual, false)) {
        residual = op.reads.back();
        op.reads.pop_back();
        op.kernel = m_b.kernel(kernel);
    }
    op.writes.front() = at(partial);
    const std::string name = op.name;
    const Phase phase = op.phase;
    split.ops.push_back(std::move(op));
    joinParts(split, name, phase, partial, result, residual);
}

void TensorParallel::joinParts(Split &split, const std::string &name, Phase phase, BufferId partial, Use result,
    const std::optional<Use> &residual)
{
    const Use sum = residual ? at(stream(m_b.plan.at(result.buffer).name + "_sum", partTokens())) : result;
    const std::vector<Op> summing = scatter(name + "_scatter", phase, partial, sum);
    split.ops.insert(split.ops.end(), summing.begin(), summing.end());
    if (!residual)
        return;
    split.ops.push_back({.name = name + "_add",
        .kernel = m_b.kernel({.kind = OpKind::Add, .type = m_s.type, .m = partTokens(), .n = m_s.hidden}),
        .phase = phase,
        .reads = {*residual, sum},
        .writes = {result}});
}

bool TensorParallel::isOfExperts(const Op &op) const
{
    const auto own = [this](const Use &use) { return std::ranges::find(m_ofExperts, use.buffer) != m_ofExperts.end(); };
    return std::ranges::any_of(op.reads, own) || std::ranges::any_of(op.writes, own);
}

// For ops of experts: whether the operand is neither a weight nor a buffer of the experts.
bool TensorParallel::isOfStream(const Use &use) const
{
    const StepPlan &plan = m_b.plan;
    return plan.at(use.buffer).scope == Scope::MicroBatch &&
           std::ranges::find(m_ofExperts, use.buffer) == m_ofExperts.end() &&
           std::ranges::none_of(plan.units, [&](const ParameterUnit &unit) { return isBufferOf(unit, use.buffer); });
}

void TensorParallel::splitExperts(Split &split, std::span<Op> branch)
{
    std::optional<Use> result, residual;
    std::optional<BufferId> partial;
    for (Op &op : branch) {
        const OpKind kind = m_b.plan.at(op.kernel).kind;
        const std::size_t ownReads = kind == OpKind::Combine           ? 3
                                     : kind == OpKind::PermuteBackward ? 2
                                                                       : op.reads.size();
        if (op.reads.size() > ownReads) {
            residual = op.reads.back();
            op.reads.pop_back();
        }
        for (std::size_t i = 0; i < op.reads.size(); ++i) {
            if (result && op.reads[i] == *result)
                op.reads[i] = at(*partial);
            else if (isOfStream(op.reads[i]))
                gatherOperand(split, op, i);
        }
        for (Use &write : op.writes) {
            if (!isOfStream(write))
                continue;
            result = write;
            partial = stream(m_b.plan.at(write.buffer).name + "_partial", allTokens());
            write = at(*partial);
        }
        split.ops.push_back(std::move(op));
    }
    const Op &last = split.ops.back();
    joinParts(split, std::string(last.name), last.phase, *partial, *result, residual);
    split.gathered.erase(result->buffer);
}

TensorParallel::GemmSplit TensorParallel::gemmSplit(const Kernel &gemm, const Use &weight) const
{
    const WeightPlacement placement = placementOf(weight);
    if (placement == WeightPlacement::Whole)
        return GemmSplit::None;
    const bool byRows = placement == WeightPlacement::Rows;
    if (gemm.form == GemmForm::WeightGradient)
        return byRows ? GemmSplit::GatherSecond : GemmSplit::GatherFirst;
    return byRows == (gemm.form == GemmForm::Forward) ? GemmSplit::GatherFirst : GemmSplit::Scatter;
}

// Every rank scales its operands by their own largest value. A gathered operand is the same on all ranks.
void TensorParallel::splitFp8Gemm(Split &split, Op left, Op right, Op gemm)
{
    const Kernel &kernel = m_b.plan.at(gemm.kernel);
    const GemmSplit how =
        gemmSplit(kernel, kernel.form == GemmForm::WeightGradient ? gemm.writes.front() : right.reads.front());
    if (how == GemmSplit::GatherFirst)
        gatherOperand(split, left, 0);
    else if (how == GemmSplit::GatherSecond)
        gatherOperand(split, right, 0);
    split.ops.push_back(std::move(left));
    split.ops.push_back(std::move(right));
    if (how == GemmSplit::Scatter)
        return scatterResult(split, std::move(gemm));
    split.ops.push_back(std::move(gemm));
}

// The sums are all-reduced where the norm then writes its statistics.
void TensorParallel::splitQkNorm(Split &split, Op op) const
{
    const Use qkv = op.reads.front(), statistics = op.writes.back();
    Kernel kernel = m_b.plan.at(op.kernel);
    kernel.kind = OpKind::QkNormSquares;
    split.ops.push_back({.name = op.name + "_squares",
        .kernel = m_b.kernel(kernel),
        .phase = op.phase,
        .reads = {qkv},
        .writes = {statistics}});
    split.ops.push_back(sumNorms(op.name + "_reduce", op.phase, statistics));
    op.kernel = kernelOfGroup(op.kernel);
    op.reads.push_back(statistics);
    split.ops.push_back(std::move(op));
}

void TensorParallel::splitQkNormBackward(Split &split, Op op)
{
    const Use dots = at(buffer("qk_norm_dots", m_s.tokens * kNormSums * sizeOf(DType::Fp32), DType::Fp32));
    Kernel kernel = m_b.plan.at(op.kernel);
    kernel.kind = OpKind::QkNormDots;
    split.ops.push_back({.name = op.name + "_dots",
        .kernel = m_b.kernel(kernel),
        .phase = op.phase,
        .reads = {op.reads[0], op.reads[1], op.reads[3]},
        .writes = {dots}});
    split.ops.push_back(sumNorms(op.name + "_reduce", op.phase, dots));
    op.kernel = kernelOfGroup(op.kernel);
    op.reads.push_back(dots);
    split.ops.push_back(std::move(op));
}

void TensorParallel::splitOp(Split &split, Op op)
{
    const Kernel kernel = m_b.plan.at(op.kernel);
    switch (kernel.kind) {
    case OpKind::Embedding:
        op.kernel = kernelOfGroup(op.kernel);
        return scatterResult(split, std::move(op));
    case OpKind::EmbeddingBackward:
        gatherOperand(split, op, 1);
        [[fallthrough]];
    case OpKind::AddPositions:
    case OpKind::AddPositionsBackward:
        op.kernel = kernelOfGroup(op.kernel);
        break;
    case OpKind::Gemm: {
        const GemmSplit how =
            gemmSplit(kernel, kernel.form == GemmForm::WeightGradient ? op.writes.front() : op.reads[1]);
        if (how == GemmSplit::Scatter)
            return scatterResult(split, std::move(op));
        if (how != GemmSplit::None)
            gatherOperand(split, op, how == GemmSplit::GatherFirst ? 0 : 1);
        break;
    }
    case OpKind::QkNorm:
        if (m_normsAllHeads)
            return splitQkNorm(split, std::move(op));
        break;
    case OpKind::QkNormBackward:
        if (m_normsAllHeads)
            return splitQkNormBackward(split, std::move(op));
        break;
    default:
        break;
    }
    split.ops.push_back(std::move(op));
}

void TensorParallel::splitOps(Block &block)
{
    // The embedding's block zeroes the counts of the experts' branches.
    const auto expertDataParallelism = [&](const Op &op) { return block.layered && isOfExperts(op); };
    const auto first = std::ranges::find_if(block.ops, expertDataParallelism),
               end = std::find_if(block.ops.rbegin(), std::reverse_iterator(first), expertDataParallelism).base();
    Split split;
    const auto splitEach = [&](auto from, auto to) {
        for (auto op = from; op != to; ++op) {
            const bool inFp8 = m_b.plan.at(op->kernel).kind == OpKind::Quantize;
            const auto last = inFp8 ? std::next(op, 2) : op;
            const std::vector<Use> writes = last->writes;
            if (inFp8)
                splitFp8Gemm(split, std::move(*op), std::move(*std::next(op)), std::move(*last));
            else
                splitOp(split, std::move(*op));
            op = last;
            for (const Use &write : writes)
                split.gathered.erase(write.buffer);
        }
    };
    splitEach(block.ops.begin(), first);
    if (first != end)
        splitExperts(split, {first, end});
    splitEach(end, block.ops.end());
    block.ops = std::move(split.ops);
}

void TensorParallel::splitLoss(Block &block)
{
    const auto loss = std::find_if(block.ops.begin(), block.ops.end(),
        [this](const Op &op) { return m_b.plan.at(op.kernel).kind == OpKind::CrossEntropy; });
    Kernel kernel = m_b.plan.at(loss->kernel);
    const std::int64_t numbers = kernel.m * kStatistics;
    // The buffers belong to the largest chunk of the loss; another chunk may have fewer rows.
    const BufferId own = buffer("logit_statistics", numbers * 4, DType::Fp32),
                   all = buffer("logit_statistics_gathered", numbers * 4 * ranks(), DType::Fp32);
    const Use logits = loss->reads[0], targets = loss->reads[1];
    kernel.group = m_group;
    loss->kernel = m_b.kernel(kernel);
    loss->reads.push_back(at(all));
    const Phase phase = loss->phase;
    kernel.kind = OpKind::LogitStatistics;
    const KernelId gathering = m_b.collective(OpKind::AllGather, DType::Fp32, numbers * ranks(), m_group);
    const std::vector<Op> before{{.name = "logit_statistics",
                                     .kernel = m_b.kernel(kernel),
                                     .phase = phase,
                                     .reads = {logits, targets},
                                     .writes = {logits, at(own)}},
        {.name = "logit_statistics_gather",
            .kernel = gathering,
            .phase = phase,
            .reads = {at(own)},
            .writes = {at(all)}}};
    block.ops.insert(loss, before.begin(), before.end());
}

void TensorParallel::splitFinalNorm(Block &block) const
{
    const Use normed = at(m_l.head.normed);
    block.ops.push_back(gather("final_norm_gather", Phase::Forward, normed, m_l.head.input));
    block.ops.back().frees.push_back(normed);
}

void TensorParallel::splitFinalNormBackward(Block &block) const
{
    std::vector<Op> ops = scatter("final_norm_scatter", Phase::Backward, m_l.head.input, at(m_l.head.normed));
    ops.back().frees.push_back(at(m_l.head.input));
    block.ops.insert(block.ops.begin(), ops.begin(), ops.end());
}

void TensorParallel::transform(Block &block, BlockKind kind)
{
    switch (kind) {
    case BlockKind::FinalNorm:
        return splitFinalNorm(block);
    case BlockKind::Loss:
        return splitLoss(block);
    case BlockKind::FinalNormBackward:
        return splitFinalNormBackward(block);
    default:
        return splitOps(block);
    }
}

} // namespace

StrategyPointer tensorParallel(const StrategyParts &parts)
{
    return parts.layout.sizes.tensorRanks > 1 ? std::make_unique<TensorParallel>(parts) : nullptr;
}

} // namespace slipway::native
