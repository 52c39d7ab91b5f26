// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures the Runs page under load, with runs that are generated in a temporary folder.
#pragma once

#include <cstdint>
#include <vector>

namespace slipway::desktop {

struct Times {
    double median = 0, p99 = 0, max = 0;
};
Times timesOf(std::vector<double> ms);

struct TableFigures {
    int runs = 1000;
    double firstListMs = 0; // reads every run directory
    double listMs = 0;      // reads from the index
    double frameP99Ms = 0;  // scrolls by one row and draws
    double filterMs = 0;    // types a word and draws
};
TableFigures benchTable();

struct LiveFigures {
    double openMs = 0; // from choosing a run of a million steps to its drawn charts
    double seconds = 0, rate = 0;
    std::int64_t points = 0, frames = 0;
    double gapP99Ms = 0, gapMaxMs = 0; // intervals between frames of the page while the run grows
    double rssBeginMib = 0, rssEndMib = 0;
    // Whether the chart drawn at the end is the envelope of all values that were written.
    bool equalsEnvelope = false;
};
LiveFigures benchLive(int seconds);

} // namespace slipway::desktop
