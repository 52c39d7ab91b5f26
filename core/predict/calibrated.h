// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A subject's device as its calibration has it: the one place where constants of the user's own runs count.
#pragma once

#include "memory/outside_allocator.h"
#include "predict/assess.h"
#include "speed/device_rates.h"

namespace slipway {

// Of the GPU that the configuration names, or another one that it is tried on; no constants where nothing is known of
// it.
DeviceCalibration calibrationOf(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue);

DeviceRates calibratedRates(const Subject &subject, const Catalogue &catalogue);
OutsideAllocator calibratedOutside(const Subject &subject);
// What the allocator takes, as a multiple of what is planned.
double memoryRatio(const Subject &subject);
// What the allocator holds beyond the plan, all the run long.
Bytes reservedBeyondPlan(const Subject &subject);

} // namespace slipway
