// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/pipeline_layers.h"

#include <algorithm>

namespace slipway {

bool endsStandForLayers(const Parallelism &mesh, int layers)
{
    const int parts = mesh.pp * mesh.virtualStages;
    return mesh.pp > 1 && layers % parts != 0 && (layers + 2) % parts == 0 &&
           layers >= 2 * mesh.pp - 2; // so that no stage is without any
}

bool partsDivide(const Parallelism &mesh, int layers)
{
    return layers % (mesh.pp * mesh.virtualStages) == 0 || endsStandForLayers(mesh, layers);
}

int layersOfStage(const Parallelism &mesh, int layers, int stage)
{
    if (endsStandForLayers(mesh, layers))
        return (layers + 2) / mesh.pp - (stage == 0 || stage == mesh.pp - 1 ? 1 : 0);
    return layers / mesh.pp + (stage < layers % mesh.pp ? 1 : 0);
}

int firstLayerOfStage(const Parallelism &mesh, int layers, int stage)
{
    if (endsStandForLayers(mesh, layers))
        return std::max(0, stage * ((layers + 2) / mesh.pp) - 1);
    return stage * (layers / mesh.pp) + std::min(stage, layers % mesh.pp);
}

LayerRange layersOfPart(const Parallelism &mesh, int layers, int stage, int part)
{
    if (mesh.virtualStages == 1)
        return {firstLayerOfStage(mesh, layers, stage), layersOfStage(mesh, layers, stage)};
    const int ends = endsStandForLayers(mesh, layers) ? 1 : 0,
              each = (layers + 2 * ends) / (mesh.pp * mesh.virtualStages),
              begin = (part * mesh.pp + stage) * each - ends;
    const int first = std::max(0, begin);
    return {first, std::min(layers, begin + each) - first};
}

std::vector<int> layersHeld(const Parallelism &mesh, int layers, int stage)
{
    std::vector<int> held;
    for (int part = 0; part < mesh.virtualStages; ++part) {
        const LayerRange range = layersOfPart(mesh, layers, stage, part);
        for (int i = 0; i < range.count; ++i)
            held.push_back(range.first + i);
    }
    return held;
}

} // namespace slipway
