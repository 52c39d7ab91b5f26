// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "predict/prediction.h"

namespace slipway {

// The peaks that a measurement shows: those of the worst rank, or of the worst rank of the first node if only that was
// read. Pipeline stages are placed on the nodes in order, the last stage on the last node.
StageMemory measuredStage(const MemoryPrediction &prediction, const Parallelism &mesh, bool onlyFirstNode);

} // namespace slipway
