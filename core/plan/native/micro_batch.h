// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The blocks of one micro-batch of a stage, put in order. Strategies make of them what the ranks of a mesh run.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/native/layout.h"
#include "plan/passes/strategy.h"

namespace slipway::native {

// Layers of one kind share their blocks. A window as long as the sequence is none.
class LayerKinds {
public:
    LayerKinds(const ModelSpec &model, std::int64_t seq);

    [[nodiscard]] const std::vector<LayerKind> &all() const { return m_kinds; }
    // Of the model's layers.
    [[nodiscard]] std::size_t numberOf(int layer) const { return m_numbers[static_cast<std::size_t>(layer)]; }

private:
    std::vector<LayerKind> m_kinds;
    std::vector<std::size_t> m_numbers;
};

// Layers at the edges are their own blocks only where they differ.
struct LayerVariant {
    std::size_t kind = 0;
    bool last = false, first = false, beforeHead = false;
    auto operator<=>(const LayerVariant &) const = default;
};
using LayerBlocks = std::map<LayerVariant, std::optional<BlockId>>;

// Forward is the same in every micro-batch.
struct ForwardBlocks {
    std::optional<BlockId> embedding, receive, finalNorm, send;
    LayerBlocks layers;
};

// What all micro-batches are built from.
struct StepParts {
    PlanBuilder &builder;
    const ModelSpec &model;
    const Layout &layout;
    const LayerKinds &kinds;
    const std::vector<StrategyPointer> &strategies; // in their order
};

// The blocks of one kind of micro-batch.
class MicroBatchBuilder {
public:
    MicroBatchBuilder(const StepParts &parts, MicroBatchKind kind, ForwardBlocks &forward);

    // From the embedding, or what the stage before sends, to the output of the model chunk's last layer.
    std::vector<Slot> forwardSlots(int modelChunk);
    // From the loss, or the gradient that the stage behind sends, to the embedding's gradient.
    std::vector<Slot> backwardSlots(int modelChunk);
    // What backward left, from the last layer to the first.
    std::vector<Slot> weightSlots(int modelChunk);

private:
    [[nodiscard]] OpWriter writer(Phase phase, bool accumulate = false) const;
    // Lets the strategies split the block, and frees the buffers that die in it: theirs, too.
    void split(Block &block, BlockPlace place, std::vector<BufferId> dying) const;
    // Lets the strategies bring its weights together and sum the gradients that it completes.
    void surround(Block &block, const BlockSite &site) const;
    [[nodiscard]] Block surrounded(Block block, BlockPlace place) const;
    [[nodiscard]] std::vector<UnitSection> completedBy(BlockPlace place) const;
    [[nodiscard]] LayerVariant variantOf(int modelChunk, int layer, LayerEdges edges) const;
    [[nodiscard]] BlockId layerBlock(
        LayerBlocks &blocks, const std::vector<Block> &made, const LayerVariant &variant, BlockPlace place) const;

    [[nodiscard]] Block embeddingBlock() const;
    [[nodiscard]] Block finalNormForwardBlock() const;
    [[nodiscard]] Block borderBlock(BlockPlace place) const;
    [[nodiscard]] BlockId lossBlock(std::int64_t rows, bool first) const;
    void addLoss(std::vector<Slot> &slots) const;
    [[nodiscard]] Block finalNormBackwardBlock() const;
    [[nodiscard]] Block embeddingBackwardBlock() const;

    template<typename Make>
    BlockId once(std::optional<BlockId> &block, const Make &make) const
    {
        if (!block)
            block = m_b.block(make());
        return *block;
    }

    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const Layout &m_l;
    const LayerKinds &m_kinds;
    const std::vector<StrategyPointer> &m_strategies;
    const Weights m_weights;
    const MicroBatchKind m_kind;
    ForwardBlocks &m_forward;
    const bool m_accumulates;
    LayerEdges m_forwardEdges, m_backwardEdges;
    std::vector<Block> m_layerForward, m_layerBackward, m_layerWeights; // by kind of layer
    LayerBlocks m_backward, m_left;
    std::optional<BlockId> m_finalNormBackward, m_receiveGradient, m_embeddingBackward, m_sendGradient;
};

} // namespace slipway::native
