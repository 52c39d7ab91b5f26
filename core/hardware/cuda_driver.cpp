// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/cuda_driver.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

namespace {

// A major version of CUDA, the first driver branch for Linux that supports all of it, and the latest LibTorch for it.
struct CudaLine {
    int cuda = 0, driver = 0;
    std::string_view libTorch;
};

// Drivers: CUDA Toolkit release notes, "Minimum Required Driver Version for CUDA Minor Version Compatibility".
// LibTorch: the requirements of torch's wheels on PyPI (2.11.0: CUDA 13.0, 2.10.0: CUDA 12.8; read on 2026-11-23). The
// wheel for CUDA 11.8 is recalled from PyTorch's list of releases.
constexpr std::array<CudaLine, 3> kLines{CudaLine{13, 580, "2.11 (CUDA 13.0)"}, CudaLine{12, 525, "2.10 (CUDA 12.8)"},
    CudaLine{11, 450, "2.7.1 (its wheel for CUDA 11.8)"}};

const CudaLine &ownLine()
{
    return *std::find_if(kLines.begin(), kLines.end(), [](const CudaLine &line) { return line.cuda == kTrainerCuda; });
}

std::string tooOld(const std::string &what, const CudaLine *runs)
{
    const CudaLine &own = ownLine();
    const std::string last = runs ? fmt::format("The last LibTorch that runs on it is {}.", runs->libTorch)
                                  : std::string("No LibTorch for CUDA 11 or newer runs on it.");
    return fmt::format("{} is too old: the trainer's LibTorch {} needs driver {} or newer, or NVIDIA's package "
                       "cuda-compat-{}. {}",
        what, own.libTorch, own.driver, own.cuda, last);
}

} // namespace

std::string driverTooOld(std::string_view version)
{
    const auto branch = parseInteger(version.substr(0, version.find('.')));
    if (!branch || *branch <= 0 || *branch >= ownLine().driver)
        return {};
    const auto *const runs =
        std::find_if(kLines.begin(), kLines.end(), [&branch](const CudaLine &line) { return *branch >= line.driver; });
    return tooOld(fmt::format("driver {}", version), runs == kLines.end() ? nullptr : runs);
}

std::string driverTooOldForCuda(int newest)
{
    const int line = newest / 1000;
    if (newest <= 0 || line >= kTrainerCuda)
        return {};
    const auto *const runs =
        std::find_if(kLines.begin(), kLines.end(), [line](const CudaLine &known) { return known.cuda == line; });
    return tooOld(fmt::format("the NVIDIA driver, which runs CUDA {}.{} at most,", line, newest % 1000 / 10),
        runs == kLines.end() ? nullptr : runs);
}

} // namespace slipway
