// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// Roofline: the longer of arithmetic at the device's rate and bytes at its bandwidth, and never under a kernel's floor.
// GEMMs are quantised to tiles and waves over the multiprocessors.
Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates);

// Rates that know what was measured of GEMMs: kernelTime then takes as long as measured.
DeviceRates withMeasuredGemms(DeviceRates rates, const std::vector<MeasuredGemm> &gemms);

} // namespace slipway
