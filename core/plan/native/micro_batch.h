// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The blocks of one micro-batch of a stage, put in order, with the collectives of their weights.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/native/layout.h"
#include "plan/passes/context_parallel.h"
#include "plan/passes/tensor_parallel.h"

namespace slipway::native {

// A micro-batch by its part in the step's sum of gradients.
struct MicroBatchKind {
    bool first = true, last = true;
};

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
    bool last = false, first = false;
    auto operator<=>(const LayerVariant &) const = default;
};
using LayerBlocks = std::map<LayerVariant, std::optional<BlockId>>;

// Forward is the same in every micro-batch.
struct ForwardBlocks {
    std::optional<BlockId> first, last;
    LayerBlocks layers;
};

// What all micro-batches are built from.
struct StepParts {
    PlanBuilder &builder;
    const RunConfig &config;
    const ModelSpec &model;
    const Layout &layout;
    const LayerKinds &kinds;
    ContextParallel *context; // null: one context-parallel rank
    TensorParallel *tensor;   // null: one tensor-parallel rank
};

// The blocks of one kind of micro-batch. Collectives run ahead of what needs them and behind what feeds them: a layer's
// gather starts before the layer in front of it runs, and its full gradients go when the next layer's are reduced.
class MicroBatchBuilder {
public:
    MicroBatchBuilder(const StepParts &parts, MicroBatchKind kind, ForwardBlocks &forward);

    // From the embedding, or what the stage before sends, to the last layer's output.
    std::vector<Slot> forwardSlots();
    // From the loss, or the gradient that the stage behind sends, to the embedding's gradient.
    std::vector<Slot> backwardSlots();

private:
    [[nodiscard]] OpWriter writer(Phase phase, bool accumulate = false) const;
    [[nodiscard]] std::vector<ParameterUnit> units(UnitSection section) const;
    // Adds the collectives of context and tensor parallelism, and where the buffers of the block die.
    void finish(Block &block, std::vector<BufferId> dying) const;
    void freeGathered(Block &block, UnitSection section) const;
    void prefetch(Block &block, UnitSection section, Phase phase, int layerShift = 0) const;
    void reduceGradients(Block &block, UnitSection section) const;
    void freeFullGradients(Block &block, UnitSection section, int layerShift = 0) const;

    [[nodiscard]] Block embeddingBlock() const;
    [[nodiscard]] Block receiveBlock() const;
    [[nodiscard]] Block finalNormForwardBlock() const;
    [[nodiscard]] Block sendBlock() const;
    [[nodiscard]] BlockId forwardOf(int layer);
    [[nodiscard]] BlockId lossBlock(std::int64_t rows, bool first) const;
    void addLoss(std::vector<Slot> &slots) const;
    [[nodiscard]] BlockId finalNormBackwardBlock() const;
    [[nodiscard]] BlockId receiveGradientBlock() const;
    [[nodiscard]] BlockId backwardOf(int layer);
    [[nodiscard]] BlockId embeddingBackwardBlock() const;
    [[nodiscard]] BlockId sendGradientBlock() const;
    // A message of the residual stream or of its gradient to the stage `peer` places on, or from it.
    [[nodiscard]] Op message(OpKind kind, std::string name, Phase phase, Use stream, int peer) const;

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
    ContextParallel *const m_context;
    TensorParallel *const m_tensor;
    const Weights m_weights;
    const DataParallelism m_data;
    const MicroBatchKind m_kind;
    ForwardBlocks &m_forward;
    const int m_layers, m_firstLayer; // of the stage
    const bool m_accumulates, m_reduces, m_aside;
    std::vector<Block> m_layerForward, m_layerBackward; // by kind of layer
    LayerBlocks m_backward;
};

} // namespace slipway::native
