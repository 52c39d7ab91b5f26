// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The sizes, weights and buffers of a training step in our own trainer.
#pragma once

#include <optional>
#include <vector>

#include "config/pipeline_layers.h"
#include "config/run_config.h"
#include "plan/data_parallel.h"
#include "plan/native/layer.h"
#include "plan/native/weights.h"

namespace slipway::native {

struct HeadBuffers {
    BufferId normed{}, logits{};
    BufferId input{}; // of the logits' GEMM: `normed`, or its all-gather
    Norm norm;
};

struct Layout {
    Sizes sizes;
    DataParallelism data;
    DataParallelism expertDataParallel; // of the experts, under expert parallelism
    StagePosition stage;
    std::vector<LayerRange> modelChunks; // of the stage's layers, counted from its first one
    bool splitsBackward = false;
    GroupId tensorGroup = GroupId::None, pipelineGroup = GroupId::None, contextGroup = GroupId::None;
    // Of the stages, too: gradients, and messages between the last and the first stage, have orders of their own.
    GroupId gradientGroup = GroupId::None, wrapGroup = GroupId::None, wrapGradientGroup = GroupId::None;
    GroupId expertGroup = GroupId::None;   // expert-parallel ranks
    std::optional<GroupId> keyGroup;       // tensor-parallel ranks with the same key-value heads
    std::optional<GroupId> embeddingGroup; // first and last stage, which both have the tied table
    Weights weights;
    BufferId tokens{}, targets{}; // int32 [tokens]
    LayerBuffers layer;
    HeadBuffers head;
    [[nodiscard]] const DataParallelism &dataOf(const ParameterUnit &unit) const
    {
        return unit.experts ? expertDataParallel : data;
    }
    BufferId loss{}, norm2Sum{};           // fp32 numbers
    std::optional<BufferId> gemmWorkspace; // of cuBLASLt: bf16
    std::optional<QuantizedBuffers> quantized;
};

// Adds units, tensors, groups and buffers to the builder's plan.
Layout addLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway::native
