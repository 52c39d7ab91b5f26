// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A command that is waited for: its output, its exit status, and limits on what it may print and how long it may take.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct ChildResult {
    int exitStatus = 0; // 128 + signal where it was killed
    std::string out, err;
};

struct ChildLimits {
    template<typename Rep, typename Period>
    ChildLimits(std::chrono::duration<Rep, Period> timeLimit, Bytes outputLimit = 64 * kMiB,
        std::function<std::optional<std::string>()> stopReason = {})
        : time(timeLimit),
          output(outputLimit),
          stop(std::move(stopReason))
    {
    }
    std::chrono::milliseconds time;
    Bytes output;                                     // of standard output, and as much of standard error
    std::function<std::optional<std::string>()> stop; // asked several times a second; a reason ends the child
};

// argv[0] is looked up on PATH; no shell in between. Standard input is `input`. A child that passes a limit is ended,
// and the error names the limit.
Result<ChildResult> runChild(
    const std::vector<std::string> &argv, const ChildLimits &limits, std::string_view input = {});

} // namespace slipway
