// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A strategy is a pass over the blocks of a step: it shards or drops buffers, adds communication, or reorders ops.
// Blocks already have the shapes of one rank (native/sizes.h). strategies.cpp lists the strategies in their order.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "plan/native/layout.h"

namespace slipway::native {

// The role of a micro-batch in the accumulation of gradients.
struct MicroBatchKind {
    bool first = true, last = true;
    auto operator<=>(const MicroBatchKind &) const = default;
};

// The blocks of a micro-batch, in their order. Receive to SendGradient are at the boundaries of pipeline stages.
// LayerWeights: the weight gradients of a split backward pass.
enum class BlockKind {
    Embedding,
    Receive,
    LayerForward,
    FinalNorm,
    Send,
    Loss,
    FinalNormBackward,
    ReceiveGradient,
    LayerBackward,
    EmbeddingBackward,
    SendGradient,
    LayerWeights
};

struct BlockSite {
    BlockKind kind{};
    MicroBatchKind microBatch;
    bool lastLayer = false, firstLayer = false; // of the model chunk, if that makes a difference: see LayerEdges
    bool beforeHead = false;                    // the last layer before the LM head
};

// The layers at the edges of a model chunk that need separate blocks.
struct LayerEdges {
    bool last = false, first = false;
};

// The slots of micro-batches in one of the stage's model chunks. Their blocks are created on first use.
class MicroBatchSlots {
public:
    virtual ~MicroBatchSlots() = default;
    virtual std::vector<Slot> forward(int modelChunk) = 0;
    virtual std::vector<Slot> backward(MicroBatchKind kind, int modelChunk) = 0;
    // The weight gradients of a split backward pass.
    virtual std::vector<Slot> weights(MicroBatchKind kind, int modelChunk) = 0;
    virtual std::vector<Slot> both(MicroBatchKind kind) = 0;
};

// The functions do nothing by default, so that a strategy overrides only what it changes.
class Strategy {
public:
    Strategy() = default;
    Strategy(const Strategy &) = delete;
    Strategy &operator=(const Strategy &) = delete;
    virtual ~Strategy() = default;

    // Changes the ops of a block. Buffers that it adds are freed in the block, and addedBuffers() lists them.
    virtual void transform(Block &block, BlockKind kind);
    [[nodiscard]] virtual std::vector<BufferId> addedBuffers() const;
    // Changes what the forward block saves for the backward block of the same layer.
    virtual void changeSavedBuffers(Block &forward, Block &backward) const;
    // Moves ops of a layer's backward block that may run later into the block that it returns.
    [[nodiscard]] virtual std::optional<Block> deferWeightGradients(Block &backward);
    // The block that replaces the embedding, or the LM head and loss, on a stage without them.
    [[nodiscard]] virtual std::optional<Block> stageBoundary(BlockKind kind) const;

    // The layers whose blocks differ because of the three functions below.
    [[nodiscard]] virtual LayerEdges forwardEdges() const;
    [[nodiscard]] virtual LayerEdges backwardEdges(MicroBatchKind kind) const;
    // All-gathers the weights of a block, and frees those that are no longer needed.
    virtual void gatherWeights(Block &block, const BlockSite &site) const;
    // Reduces the gradients of a unit over ranks, after the block that completed them.
    virtual void reduceGradients(std::vector<Op> &ops, const ParameterUnit &unit, MicroBatchKind kind) const;
    // Called after these reductions.
    virtual void freeGradients(Block &block, const BlockSite &site) const;

    // Schedules the micro-batches of the step. False: the next strategy does.
    virtual bool schedule(StepPlan &plan, MicroBatchSlots &slots) const;
    // Called after the update of a unit.
    virtual void afterUpdate(Block &block, const ParameterUnit &unit) const;
};

// Empty if the model has no weights there: a tied LM head after a norm without weights.
std::vector<ParameterUnit> unitsOf(const StepPlan &plan, UnitSection section);

// The arguments for creating a strategy.
struct StrategyParts {
    PlanBuilder &builder;
    const RunConfig &config;
    const ModelSpec &model;
    const Layout &layout;
};
using StrategyPointer = std::unique_ptr<Strategy>;

// The strategies of a configuration, in the order in which they change the plan.
std::vector<StrategyPointer> strategiesOf(const StrategyParts &parts);

} // namespace slipway::native
