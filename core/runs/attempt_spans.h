// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// When the attempts of a run trained, and the time lost between them.
#pragma once

#include <optional>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

// The longest pause between two attempts, in milliseconds, for which a node is assumed to be kept and billed.
inline constexpr double kKeptFor = 15 * 60'000.0;

// From the begin of an attempt's first step to the end of its last step, in milliseconds since 1970.
struct AttemptSpan {
    double begin = 0, end = 0;
};
// The spans of all attempts that have a step, ordered by their begin.
std::vector<AttemptSpan> attemptSpans(const RunData &run);

// The time that a run lost to interruptions.
struct Interruptions {
    int count = 0;       // attempts after the first
    Seconds redone = 0;  // duration of steps that a later attempt repeated
    Seconds between = 0; // from the last step of an attempt to the first one of the next
    Seconds billed = 0;  // the part of both that is billed
    std::optional<Usd> usd;
    std::optional<double> goodput;        // fraction of the billed time that was not lost
    std::optional<double> plannedGoodput; // goodput in the plan, which accounts for failures and checkpoints
    [[nodiscard]] Seconds lost() const { return redone + between; }
};
Interruptions interruptionsOf(const RunData &run);
// "12 min in 2 interruptions: 9 min of steps done again, 3 min between attempts; $0.40". Empty if there were none.
std::string interruptionsText(const Interruptions &lost);
// "91.2 %, planned 95.0 %". Empty if there were no interruptions.
std::string goodputText(const Interruptions &lost);

} // namespace slipway
