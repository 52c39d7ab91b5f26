// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Builds the blocks of one micro-batch on a pipeline stage. Strategies turn them into the blocks of one rank.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/native/layout.h"
#include "plan/passes/strategy.h"

namespace slipway::native {

// The different kinds of layers of a model. Layers of one kind have the same blocks. A sliding window that is as long
// as the sequence counts as no window.
class LayerKinds {
public:
    LayerKinds(const ModelSpec &model, std::int64_t seq);

    [[nodiscard]] const std::vector<LayerKind> &all() const { return m_kinds; }
    // The kind of a layer of the model, as an index in all().
    [[nodiscard]] std::size_t numberOf(int layer) const { return m_numbers[static_cast<std::size_t>(layer)]; }

private:
    std::vector<LayerKind> m_kinds;
    std::vector<std::size_t> m_numbers;
};

// Selects a block of a layer: its kind, and whether it is at an edge of the model chunk, if that makes a difference.
struct LayerVariant {
    std::size_t kind = 0;
    bool last = false, first = false, beforeHead = false;
    auto operator<=>(const LayerVariant &) const = default;
};
using LayerBlocks = std::map<LayerVariant, std::optional<BlockId>>;

// The blocks of the forward pass, which are the same for all micro-batches.
struct ForwardBlocks {
    std::optional<BlockId> embedding, receive, finalNorm, send;
    LayerBlocks layers;
};

// The inputs of all MicroBatchBuilders of a step.
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

    // From the embedding, or the receive from the previous stage, to the output of the model chunk's last layer.
    std::vector<Slot> forwardSlots(int modelChunk);
    // From the loss, or the gradient from the next stage, to the embedding's gradient.
    std::vector<Slot> backwardSlots(int modelChunk);
    // The deferred weight gradients, from the last layer to the first.
    std::vector<Slot> weightSlots(int modelChunk);

private:
    [[nodiscard]] OpWriter writer(Phase phase, bool accumulate = false) const;
    // Applies the strategies to the block, and frees `freed` and the strategies' own buffers in it.
    void transform(Block &block, BlockKind kind, std::vector<BufferId> freed) const;
    // Lets the strategies gather the weights of the block and reduce the gradients that it completes.
    void addCollectives(Block &block, const BlockSite &site) const;
    [[nodiscard]] Block withCollectives(Block block, BlockKind kind) const;
    [[nodiscard]] std::vector<UnitSection> completedBy(BlockKind kind) const;
    [[nodiscard]] LayerVariant variantOf(int modelChunk, int layer, LayerEdges edges) const;
    [[nodiscard]] BlockId layerBlock(
        LayerBlocks &blocks, const std::vector<Block> &made, const LayerVariant &variant, BlockKind kind) const;

    [[nodiscard]] Block embeddingBlock() const;
    [[nodiscard]] Block finalNormForwardBlock() const;
    [[nodiscard]] Block boundaryBlock(BlockKind kind) const;
    [[nodiscard]] BlockId lossBlock(std::int64_t rows, bool first) const;
    void addLoss(std::vector<Slot> &slots) const;
    [[nodiscard]] Block finalNormBackwardBlock() const;
    [[nodiscard]] Block embeddingBackwardBlock() const;

    template<typename Make>
    BlockId cached(std::optional<BlockId> &block, const Make &make) const
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
