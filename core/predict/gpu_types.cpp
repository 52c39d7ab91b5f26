// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/gpu_types.h"

#include "base/text.h"

namespace slipway {

bool lacksBf16(const RunConfig &config, const Gpu &gpu)
{
    constexpr double kFirstWithBf16 = 8.0;
    if ((config.precisionOrMixed() != Precision::Bf16 && config.precisionOrMixed() != Precision::Bf16Mixed) ||
        gpu.vendor != "nvidia")
        return false;
    const std::optional<double> capability = parseNumber(gpu.computeCapability);
    return capability && *capability < kFirstWithBf16;
}

} // namespace slipway
