// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The device of a configuration with the constants that were calibrated on the user's own runs. Nothing else applies
// them.
#pragma once

#include "memory/outside_allocator.h"
#include "predict/assess.h"
#include "speed/device_rates.h"

namespace slipway {

// Of the GPU that the configuration names, or another one that it is tried on; no constants where nothing is known of
// it.
DeviceCalibration calibrationOf(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue);

// Plans as the software that the calibration's runs looked like, where the configuration names its own as those runs
// did. Options that the user gave stay. Says what was taken.
std::optional<AppliedField> applySoftwareOfRuns(RunConfig &config, const Gpu &gpu, const Catalogue &catalogue);

DeviceRates calibratedRates(const ResolvedConfig &resolved, const Catalogue &catalogue);
// Writes into the plans of a configuration whether their steps are CUDA graphs (speed/graph_choice.h). None is one if
// the catalogue lacks the GPU.
void chooseGraphs(std::vector<StepPlan> &stages, const RunConfig &config, const Catalogue &catalogue);
OutsideAllocatorMemory calibratedOutsideAllocatorMemory(const ResolvedConfig &resolved, const SpeedRates &rates);
// Measured over planned bytes of the allocator.
double measuredToPlannedMemory(const ResolvedConfig &resolved);
// Bytes that the allocator holds during the whole run in addition to the plan.
Bytes reservedBeyondPlan(const ResolvedConfig &resolved);

} // namespace slipway
