// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which layers a pipeline's stage holds.
#pragma once

#include <vector>

#include "config/run_config.h"

namespace slipway {

// Embedding and head stand for a layer each where the parts of all stages divide the layers together with these two and
// not alone: 70 of BLOOM and GLM-130B on 12 and 8 stages, 126 of Llama 3 405B on 16 (its paper, section 3.3.2;
// Megatron-Core, account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split, 0.11; torchtitan
// 0.1.0, distributed/pipeline.py).
bool endsStandForLayers(const Parallelism &mesh, int layers);

// Whether every stage's parts hold as many layers, or the ends' places.
bool partsDivide(const Parallelism &mesh, int layers);

// Layers of the stage; the first ones hold one more where nothing divides.
int layersOfStage(const Parallelism &mesh, int layers, int stage);
int firstLayerOfStage(const Parallelism &mesh, int layers, int stage);

// The model's layers in a part of a stage. Parts of the model go round the stages: part 0 of each, then part 1.
struct LayerRange {
    int first = 0, count = 0;
    bool operator==(const LayerRange &) const = default;
};
LayerRange layersOfPart(const Parallelism &mesh, int layers, int stage, int part);
// Numbers in the model of all layers of a stage, part after part.
std::vector<int> layersHeld(const Parallelism &mesh, int layers, int stage);

} // namespace slipway
