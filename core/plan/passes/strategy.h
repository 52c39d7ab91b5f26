// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A strategy is a pass over the blocks of a step: what it splits, sends, drops or puts in another order. Blocks come
// with the shapes of one rank (native/sizes.h). Which strategies there are, and their order, says strategies.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "plan/native/layout.h"

namespace slipway::native {

// A micro-batch by its part in the step's sum of gradients.
struct MicroBatchKind {
    bool first = true, last = true;
    auto operator<=>(const MicroBatchKind &) const = default;
};

// Of a micro-batch, in its order. Receive to SendGradient are at the borders between pipeline stages. LayerWeights:
// what a split backward left.
enum class BlockPlace {
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
    BlockPlace place{};
    MicroBatchKind microBatch;
    bool lastLayer = false, firstLayer = false; // of the part, where that makes a difference: see LayerEdges
    bool beforeHead = false;                    // the last layer, behind which comes the head
};

// Layers at the edges of a stage's part of the model whose blocks are others.
struct LayerEdges {
    bool last = false, first = false;
};

// The slots of micro-batches, whose blocks are made when they are asked for: of one of the stage's parts of the model.
class MicroBatchSlots {
public:
    virtual ~MicroBatchSlots() = default;
    virtual std::vector<Slot> forward(int part) = 0;
    virtual std::vector<Slot> backward(MicroBatchKind kind, int part) = 0;
    // What a split backward left.
    virtual std::vector<Slot> weights(MicroBatchKind kind, int part) = 0;
    virtual std::vector<Slot> both(MicroBatchKind kind) = 0;
};

// Every function does nothing here, so that a strategy says what it changes alone.
class Strategy {
public:
    Strategy() = default;
    Strategy(const Strategy &) = delete;
    Strategy &operator=(const Strategy &) = delete;
    virtual ~Strategy() = default;

    // Changes what a block computes. Buffers that it adds die within the block, and added() names them.
    virtual void split(Block &block, BlockPlace place);
    [[nodiscard]] virtual std::vector<BufferId> added() const;
    // Changes what backward finds of forward. Both blocks are of the same layer.
    virtual void joinLayer(Block &forward, Block &backward) const;
    // Takes ops out of a layer's backward that may come later: the block of them.
    [[nodiscard]] virtual std::optional<Block> leaveForLater(Block &backward);
    // The block in place of embedding, head and loss where a stage has none.
    [[nodiscard]] virtual std::optional<Block> border(BlockPlace place) const;

    // Layers whose blocks the three functions below make others.
    [[nodiscard]] virtual LayerEdges forwardEdges() const;
    [[nodiscard]] virtual LayerEdges backwardEdges(MicroBatchKind kind) const;
    // Brings weights together that a block needs, and frees those that it needs no more.
    virtual void bringWeights(Block &block, const BlockSite &site) const;
    // Sums the gradients of a unit over ranks: behind the block that completed them.
    virtual void sumGradients(std::vector<Op> &ops, const ParameterUnit &unit, MicroBatchKind kind) const;
    // Behind these sums.
    virtual void dropGradients(Block &block, const BlockSite &site) const;

    // Puts the micro-batches of the step in order. False: leaves that to the next strategy.
    virtual bool schedule(StepPlan &plan, MicroBatchSlots &slots) const;
    // Behind the update of a unit.
    virtual void afterUpdate(Block &block, const ParameterUnit &unit) const;
};

// None where the model has no weights there: a tied head behind a norm without weights.
std::vector<ParameterUnit> unitsOf(const StepPlan &plan, UnitSection section);

// What a strategy is made from.
struct StrategyParts {
    PlanBuilder &builder;
    const RunConfig &config;
    const ModelSpec &model;
    const Layout &layout;
};
using StrategyPointer = std::unique_ptr<Strategy>;

// Those that the configuration asks for, in the order in which they change the plan.
std::vector<StrategyPointer> strategiesOf(const StrategyParts &parts);

} // namespace slipway::native
