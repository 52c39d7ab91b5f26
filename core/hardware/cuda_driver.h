// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which NVIDIA drivers support the CUDA version of the trainer's LibTorch.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

inline constexpr int kTrainerCuda = 13; // the version for which cmake/LibTorch.cmake fetches LibTorch

// Explains to users why the trainer cannot use a driver: which driver is needed and which LibTorch would work. Empty if
// the driver is new enough or `version` is not a version number. `version` as nvidia-smi shows it: "570.86.15".
std::string driverTooOld(std::string_view version);
// The same, given the newest CUDA version that the driver supports, as cudaDriverGetVersion returns it: 12080 for 12.8.
std::string driverTooOldForCuda(int newest);

} // namespace slipway
