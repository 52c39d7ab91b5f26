// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a step in our own trainer is made of: sizes, weights, and the buffers of its modules.
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
    BufferId input{}; // of the logits' GEMM: `normed`, or all tokens of it
    Norm norm;
};

struct Layout {
    Sizes sizes;
    DataParallelism data;
    DataParallelism expertData; // of the experts, where ranks have others
    StagePlace stage;
    std::vector<LayerRange> parts; // of the stage's layers, counted from its first one
    bool splitsBackward = false;
    GroupId tensorGroup = GroupId::None, pipelineGroup = GroupId::None, contextGroup = GroupId::None;
    GroupId gradientGroup = GroupId::None; // of the stages, too: what goes back has an order of its own
    GroupId expertGroup = GroupId::None;   // of ranks that have other experts
    std::optional<GroupId> keyGroup;       // of tensor-parallel ranks with the same key heads
    std::optional<GroupId> embeddingGroup; // of the stages that have a tied table each
    Weights weights;
    BufferId tokens{}, targets{}; // int32 [tokens]
    LayerBuffers layer;
    HeadBuffers head;
    [[nodiscard]] const DataParallelism &dataOf(const ParameterUnit &unit) const
    {
        return unit.experts ? expertData : data;
    }
    BufferId loss{}, norm2Sum{};           // fp32 numbers
    std::optional<BufferId> gemmWorkspace; // of cuBLASLt: bf16
    std::optional<QuantizedBuffers> quantized;
};

// Adds units, tensors, groups and buffers to the builder's plan.
Layout addLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway::native
