// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Splits the blocks of a step over tensor-parallel ranks. GEMMs have a range of the weight's rows or columns (Shoeybi
// et al. 2019, arXiv 1909.08053, section 3), the embedding and the loss a range of the vocabulary, and the residual
// stream between them is split by tokens: sequence parallelism (Korthikanti et al. 2022, arXiv 2205.05198, section
// 4.2.2).
//
// Blocks come with the shapes of one rank already (native/sizes.h). This pass adds the collectives: an all-gather of
// the stream in front of what reads all of its tokens, and a reduce-scatter behind what has partial sums of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan_builder.h"

namespace slipway {

// The residual stream of a micro-batch: `tokens` rows of `width` elements. Ranks have equal parts, which rows behind
// the last token fill up; what is summed into them is 0.
struct StreamShape {
    std::int64_t tokens = 0, width = 0;
    DType type = DType::Fp32;
};

class TensorParallel {
public:
    // `group`: of the builder's plan, whose units and tensors are there already.
    TensorParallel(PlanBuilder &builder, GroupId group, StreamShape stream)
        : m_b(builder),
          m_group(group),
          m_stream(stream)
    {
    }

    // Around GEMMs of split weights, embeddings and learned positions. Buffers that it adds die within the block, but
    // nothing frees them yet: see added().
    void split(Block &block);
    // The loss over a vocabulary that is split: each rank's statistics of a row go to all of them. [ranks, rows, 3].
    void splitLoss(Block &block);

    // An op that brings all tokens of a part of the stream together, and one that sums what all ranks have of all
    // tokens and leaves each rank its own.
    [[nodiscard]] Op gather(std::string name, Phase phase, Use part, BufferId all) const;
    // What fills up the parts is made 0 before.
    [[nodiscard]] std::vector<Op> scatter(const std::string &name, Phase phase, BufferId all, Use part) const;
    [[nodiscard]] const std::vector<BufferId> &added() const { return m_added; }

private:
    struct Split {
        std::vector<Op> ops;
        std::map<BufferId, BufferId> gathered; // parts of the stream whose tokens are together
    };
    void splitOp(Split &split, Op op);
    void gatherOperand(Split &split, Op &op, std::size_t operand);
    void scatterResult(Split &split, Op op);
    [[nodiscard]] WeightPlacement placementOf(const Use &weight) const;
    [[nodiscard]] int ranks() const { return m_b.plan.groups[static_cast<std::size_t>(m_group)].size; }
    [[nodiscard]] std::int64_t partTokens() const { return ceilDiv(m_stream.tokens, std::int64_t{ranks()}); }
    [[nodiscard]] std::int64_t allTokens() const { return partTokens() * ranks(); } // with those that fill up
    [[nodiscard]] KernelId collective(OpKind kind) const;
    // Buffers for all tokens of the stream, and for a part of it.
    BufferId wholeStream(const std::string &name);
    BufferId part(const std::string &name);
    BufferId add(const std::string &name, Bytes bytes, DType type);

    PlanBuilder &m_b;
    GroupId m_group;
    StreamShape m_stream;
    std::map<std::string, BufferId> m_buffers; // by name
    std::vector<BufferId> m_added;
};

} // namespace slipway
