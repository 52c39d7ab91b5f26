// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_stage.h"

#include "base/units.h"

namespace slipway {

StageMemory measuredStage(const MemoryPrediction &prediction, const Parallelism &mesh, bool onlyFirstNode)
{
    StageMemory worst{.allocated = prediction.peakAllocated, .reserved = prediction.peakReserved};
    const std::int64_t seen = ceilDiv(std::int64_t{mesh.gpusPerNode} * mesh.pp, std::int64_t{mesh.gpus});
    if (!onlyFirstNode || seen >= mesh.pp || prediction.stages.empty())
        return worst;
    worst = prediction.stages.front();
    if (seen > 1 && prediction.stages[1].reserved > worst.reserved)
        worst = prediction.stages[1];
    return worst;
}

} // namespace slipway
