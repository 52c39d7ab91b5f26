// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A short command that is waited for: its output, its exit status, and an end to waiting.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace slipway {

struct ChildResult {
    int exitStatus = 0; // 128 + signal where it was killed
    std::string out, err;
};

// argv[0] is looked up on PATH; no shell in between. Standard input is `input`. After the time limit the child is
// killed and the error says so.
Result<ChildResult> runChild(
    const std::vector<std::string> &argv, std::chrono::milliseconds timeLimit, std::string_view input = {});

} // namespace slipway
