// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A line of events.jsonl.
#include "runs/run_directory.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<RunEvent> event = runEventFromJson(textOf(data, size));
    if (event) {
        const Result<RunEvent> again = runEventFromJson(toJsonLine(*event));
        require(again && toJsonLine(*again) == toJsonLine(*event), "an event that was written is read again");
    }
    return 0;
}
