// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// When the attempts of a run trained, and what went by between them.
#pragma once

#include <optional>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

// Milliseconds for which a node is kept between two attempts.
inline constexpr double kKeptFor = 15 * 60'000.0;

// From the begin of an attempt's first step to the end of its last one, in milliseconds since 1970.
struct AttemptSpan {
    double begin = 0, end = 0;
};
// Of every attempt that has a step, by their begin.
std::vector<AttemptSpan> attemptSpans(const RunData &run);

// What interruptions took of a run.
struct Interruptions {
    int count = 0;       // further attempts
    Seconds redone = 0;  // of steps that a later attempt did again
    Seconds between = 0; // from the last step of an attempt to the first one of the next
    Seconds billed = 0;  // of both, what is paid for
    std::optional<Usd> usd;
    std::optional<double> goodput;        // the part of the billed time that they left
    std::optional<double> plannedGoodput; // of the plan, for failures and checkpoints
    [[nodiscard]] Seconds lost() const { return redone + between; }
};
Interruptions interruptionsOf(const RunData &run);
// "12 min in 2 interruptions: 9 min of steps done again, 3 min between attempts; $0.40". Empty: none.
std::string interruptionsText(const Interruptions &lost);
// "91.2 %, planned 95.0 %". Empty: none.
std::string goodputText(const Interruptions &lost);

} // namespace slipway
