// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A line of metrics.jsonl. The fast reader and the one that knows all of JSON must agree.
#include "runs/metrics_line.h"

#include <cmath>

#include "fuzz_input.h"

using namespace slipway;

namespace {

// NaN differs from itself; as text it does not.
bool same(const StepMetrics &a, const StepMetrics &b) { return toJsonLine(a) == toJsonLine(b); }

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view line = textOf(data, size);
    StepMetrics plain;
    const bool isPlain = readPlainMetrics(line, plain);
    const Result<StepMetrics> any = readAnyMetrics(line);
    if (isPlain)
        require(any && same(plain, *any), "both readers of metrics give the same");
    if (any) {
        const Result<StepMetrics> again = stepMetricsFromJson(toJsonLine(*any));
        require(again && same(*again, *any), "metrics that were written are read again");
    }
    return 0;
}
