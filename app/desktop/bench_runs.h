// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The Runs page under load, on runs that are made up for it in a temporary folder.
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
    double firstListMs = 0; // every run directory read
    double listMs = 0;      // from the index
    double frameP99Ms = 0;  // scrolled by one row and drawn
    double filterMs = 0;    // a word typed and drawn
};
TableFigures benchTable();

struct LiveFigures {
    double openMs = 0; // a run of a million steps, from its choice to its drawn charts
    double seconds = 0, rate = 0;
    std::int64_t points = 0, frames = 0;
    double gapP99Ms = 0, gapMaxMs = 0; // between frames of the page while it grows
    double rssBeginMib = 0, rssEndMib = 0;
    bool equalsEnvelope = false; // what was drawn at the end is the envelope of all that was written
};
LiveFigures benchLive(int seconds);

} // namespace slipway::desktop
