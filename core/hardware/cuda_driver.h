// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which of NVIDIA's drivers runs the CUDA that the trainer's LibTorch is for.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

inline constexpr int kTrainerCuda = 13; // of LibTorch as cmake/LibTorch.cmake has it

// Why the trainer cannot use a driver, for users: what it needs and which LibTorch would do. Empty where it can, or
// where the version is none. `version` as nvidia-smi shows it: "570.86.15".
std::string driverTooOld(std::string_view version);
// The same from the newest CUDA that a driver runs, as cudaDriverGetVersion tells it: 12080 for 12.8.
std::string driverTooOldForCuda(int newest);

} // namespace slipway
