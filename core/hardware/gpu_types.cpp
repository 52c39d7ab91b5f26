// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/gpu_types.h"

#include "base/text.h"

namespace slipway {

bool multipliesBf16(const Gpu &gpu)
{
    constexpr double kFirstWithBf16 = 8.0;
    const std::optional<double> capability = gpu.vendor == "nvidia" ? parseNumber(gpu.computeCapability) : std::nullopt;
    return !capability || *capability >= kFirstWithBf16;
}

} // namespace slipway
