// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predicts a server at every point of a grid.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explore/best_by.h"
#include "explore/grid.h"
#include "explore/sweep.h"
#include "serve/serve_prediction.h"

namespace slipway {

struct ServingPoint {
    std::size_t index = 0; // in the grid
    ServeOutcome outcome;
    std::optional<ServeLoad> load; // if the point has requests per second and a sequence fits
    std::string skipped;           // reason if it cannot be planned; otherwise empty

    [[nodiscard]] bool runs() const { return skipped.empty() && outcome.verdict != Verdict::Oom; }
    // The measure of "best": tokens per dollar, or per second if the price is not known.
    [[nodiscard]] double objective() const
    {
        return outcome.usdPerMillionTokens ? 1e6 / *outcome.usdPerMillionTokens : outcome.tokensPerSecond;
    }
    bool operator==(const ServingPoint &) const = default;
};

// All points are in memory, so this limit is lower than kLargestGrid.
inline constexpr std::size_t kLargestServingGrid = 1'000'000;
// Like readGrid(), for the settings of serving.
Result<Grid> readServingGrid(const std::string &file);

struct ServingSweepRequest {
    const ServeConfig &base; // the settings that the grid does not vary
    const Grid &grid;
    const Catalogue &catalogue;
    const Frameworks &frameworks;
    unsigned threads = 0; // 0: one per core
};

ServingPoint predictServingPoint(const ServingSweepRequest &request, std::size_t index);

struct ServingSweep {
    std::vector<ServingPoint> points; // in the order of the grid
    SweepStatus end;
};
// `progress(done)` is called on the calling thread between points. If it returns false, the sweep ends with the points
// so far.
ServingSweep sweepServing(
    const ServingSweepRequest &request, const std::function<bool(std::size_t done)> &progress = {});

// The points that no other point beats in time per output token and tokens per dollar at once, in their order.
std::vector<ServingPoint> paretoFrontOf(std::vector<ServingPoint> points);

// The grid with further axes of one value each: the settings that a table must list so that it can be understood alone.
Grid withServingChoices(Grid grid, const ServeConfig &base);

// A point as one flat JSON object of settings and results, and a table with one point per row.
nlohmann::ordered_json toJson(const Grid &grid, const ServingPoint &point);
std::string servingCsv(const Grid &grid, const std::vector<ServingPoint> &points);

} // namespace slipway
