// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which layers a pipeline's stage holds.
#pragma once

#include <vector>

#include "config/run_config.h"

namespace slipway {

// Embedding and head count as one layer each if the number of model chunks divides the layers plus two, but not the
// layers alone: 70 of BLOOM and GLM-130B on 12 and 8 stages, 126 of Llama 3 405B on 16 (its paper, section 3.3.2;
// Megatron-Core, account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split, 0.11; torchtitan
// 0.1.0, distributed/pipeline.py).
bool endsCountAsLayers(const Parallelism &mesh, int layers);

// Whether all model chunks have equally many layers, embedding and head counted as above.
bool hasEqualModelChunks(const Parallelism &mesh, int layers);

// Number of layers of the stage. If the stages do not divide the layers, the first stages have one more.
int layersOfStage(const Parallelism &mesh, int layers, int stage);
int firstLayerOfStage(const Parallelism &mesh, int layers, int stage);

// The layers of a model chunk. Model chunks go round the stages: chunk 0 of each stage, then chunk 1 of each, as in
// Megatron-LM's interleaved schedule.
struct LayerRange {
    int first = 0, count = 0;
    bool operator==(const LayerRange &) const = default;
};
LayerRange layersOfModelChunk(const Parallelism &mesh, int layers, int stage, int modelChunk);
// The model's layer numbers of all layers of a stage, one model chunk after the other.
std::vector<int> layerNumbersOfStage(const Parallelism &mesh, int layers, int stage);

} // namespace slipway
