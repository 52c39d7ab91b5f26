// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs a command and waits for its end. Returns its output and exit status, with limits on the size of the output and
// on the time.
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
    int exitStatus = 0; // 128 + signal number if it was killed
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
    Bytes output; // limit on standard output, and the same limit on standard error
    // Called several times per second; if it returns a reason, the child is ended.
    std::function<std::optional<std::string>()> stop;
};

// argv[0] is looked up in PATH; no shell is involved. `input` is passed as standard input. A child that exceeds a limit
// is ended, and the error names the limit.
Result<ChildResult> runChild(
    const std::vector<std::string> &argv, const ChildLimits &limits, std::string_view input = {});

} // namespace slipway
