// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predicts every point of a grid.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explore/best_by.h"
#include "explore/grid.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct SweepPoint {
    std::size_t index = 0; // in the grid
    // Those of the point, also where the user leaves them to the framework.
    Attention attention = Attention::Flash;
    Recompute recompute = Recompute::None;
    Precision precision = Precision::Bf16Mixed;
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0;
    double tokensPerSecond = 0, tokensPerSecondPerGpu = 0, mfu = 0;
    Seconds step = 0;
    std::optional<double> tokensPerUsd, usdPerBillionTokens;
    std::string skipped; // reason if it cannot be planned; otherwise empty

    [[nodiscard]] bool runs() const { return skipped.empty() && verdict != Verdict::Oom; }
    // The measure of "best": tokens per dollar, or per second if the price is not known.
    [[nodiscard]] double objective() const { return tokensPerUsd.value_or(tokensPerSecond); }
    bool operator==(const SweepPoint &) const = default;
};

struct SweepRequest {
    const RunConfig &base; // the settings that the grid does not vary
    const Grid &grid;
    const Catalogue &catalogue;
    unsigned threads = 0; // 0: one per core
};

struct SweepStatus {
    std::size_t done = 0, all = 0; // points; done < all: cancelled
    Seconds seconds = 0;
    [[nodiscard]] bool cancelled() const { return done < all; }
};

SweepPoint predictPoint(const SweepRequest &request, std::size_t index);

// Calls `take` with every point, in the order of the grid and on the calling thread; `take` returns false to cancel.
// Holds a few hundred points at a time, or a thousand if points that share a plan are far apart.
SweepStatus forEachPoint(const SweepRequest &request, const std::function<bool(SweepPoint &&)> &take);

// The points that no other point beats in speed, tokens per dollar and memory at once. Stores only the front.
class ParetoFront {
public:
    struct Member {
        std::size_t index = 0; // of the point
        double tokensPerSecond = 0, objective = 0;
        Bytes peak = 0;
        std::int64_t tag = 0; // from the caller of add()
    };
    void add(const SweepPoint &point, std::int64_t tag = 0);
    [[nodiscard]] const std::vector<Member> &members() const { return m_members; }

private:
    std::vector<Member> m_members;
};

using BestBy = BestPoints<SweepPoint>;

// A grid and its points in memory.
struct Sweep {
    RunConfig base;
    Grid grid;
    std::vector<SweepPoint> points;
    std::vector<std::size_t> pareto; // indices of the points on the front, increasing
    SweepStatus end;
    std::string prices; // price book of the base and its date: "list, 2026-01"
};

// `progress(done, all)` returns false to cancel; the points so far are kept.
Sweep sweep(const SweepRequest &request, const std::function<bool(std::size_t, std::size_t)> &progress = {});

// A value for each axis of the grid. Where the user leaves a choice to the framework, it is the framework's.
std::vector<std::string> choicesOf(const Grid &grid, const SweepPoint &point);

// A point as one flat JSON object of settings and results.
nlohmann::ordered_json toJson(const Grid &grid, const SweepPoint &point);
nlohmann::ordered_json gridJson(const Grid &grid);

// A value of an axis: an integer, a number, or its text.
nlohmann::ordered_json valueJson(const std::string &text);

} // namespace slipway
