// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/pipeline_layers.h"

#include <algorithm>

namespace slipway {

bool endsCountAsLayers(const Parallelism &mesh, int layers)
{
    const int parts = mesh.pp * mesh.virtualStages;
    return mesh.pp > 1 && layers % parts != 0 && (layers + 2) % parts == 0 &&
           layers >= 2 * mesh.pp - 2; // so that no stage is without any
}

bool hasEqualModelChunks(const Parallelism &mesh, int layers)
{
    return layers % (mesh.pp * mesh.virtualStages) == 0 || endsCountAsLayers(mesh, layers);
}

int layersOfStage(const Parallelism &mesh, int layers, int stage)
{
    if (endsCountAsLayers(mesh, layers))
        return (layers + 2) / mesh.pp - (stage == 0 || stage == mesh.pp - 1 ? 1 : 0);
    return layers / mesh.pp + (stage < layers % mesh.pp ? 1 : 0);
}

int firstLayerOfStage(const Parallelism &mesh, int layers, int stage)
{
    if (endsCountAsLayers(mesh, layers))
        return std::max(0, stage * ((layers + 2) / mesh.pp) - 1);
    return stage * (layers / mesh.pp) + std::min(stage, layers % mesh.pp);
}

LayerRange layersOfModelChunk(const Parallelism &mesh, int layers, int stage, int modelChunk)
{
    if (mesh.virtualStages == 1)
        return {firstLayerOfStage(mesh, layers, stage), layersOfStage(mesh, layers, stage)};
    const int ends = endsCountAsLayers(mesh, layers) ? 1 : 0,
              each = (layers + 2 * ends) / (mesh.pp * mesh.virtualStages),
              begin = (modelChunk * mesh.pp + stage) * each - ends;
    const int first = std::max(0, begin);
    return {first, std::min(layers, begin + each) - first};
}

std::vector<int> layerNumbersOfStage(const Parallelism &mesh, int layers, int stage)
{
    std::vector<int> held;
    for (int modelChunk = 0; modelChunk < mesh.virtualStages; ++modelChunk) {
        const LayerRange range = layersOfModelChunk(mesh, layers, stage, modelChunk);
        for (int i = 0; i < range.count; ++i)
            held.push_back(range.first + i);
    }
    return held;
}

} // namespace slipway
