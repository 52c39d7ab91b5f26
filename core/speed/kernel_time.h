// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// The time of a kernel by the roofline model: the larger of FLOPs at the device's rate and bytes at its bandwidth, and
// at least DeviceRates::minKernelTime. GEMMs are quantized to tiles and waves over the multiprocessors.
Seconds kernelTime(const Kernel &kernel, const DeviceRates &rates);

// `rates` with measured GEMMs: kernelTime() returns the measured time of these shapes, and scales others by them.
DeviceRates withMeasuredGemms(DeviceRates rates, const std::vector<MeasuredGemm> &gemms);

} // namespace slipway
