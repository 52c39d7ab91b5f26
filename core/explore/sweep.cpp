// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/sweep.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "predict/assess.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

SweepPoint predictPoint(const RunConfig &base, const Grid &grid, std::size_t index, const Catalogue &catalogue)
{
    SweepPoint point{.values = grid.valuesAt(index)};
    const Result<RunConfig> config = configAt(base, grid, index);
    const Result<Subject> subject = config ? resolveSubject(*config, catalogue) : Result<Subject>(config.error());
    const Result<Assessment> assessment = subject ? assess(*subject, catalogue) : Result<Assessment>(subject.error());
    if (!assessment) {
        point.skipped = assessment.error().message();
        return point;
    }
    point.verdict = assessment->memory.verdict;
    point.peak = assessment->memory.peak;
    point.tokensPerSecond = assessment->speed.tokensPerSecond;
    point.tokensPerSecondPerGpu = assessment->speed.tokensPerSecondPerGpu;
    point.mfu = assessment->speed.mfu;
    point.step = assessment->speed.step;
    point.tokensPerUsd = assessment->cost.tokensPerUsd;
    point.usdPerBillionTokens = assessment->cost.usdPerBillionTokens;
    return point;
}

bool runs(const SweepPoint &p) { return p.skipped.empty() && p.verdict != Verdict::Oom; }

double worth(const SweepPoint &p) { return p.tokensPerUsd.value_or(p.tokensPerSecond); }

bool dominates(const SweepPoint &a, const SweepPoint &b)
{
    const bool noWorse = a.tokensPerSecond >= b.tokensPerSecond && worth(a) >= worth(b) && a.peak <= b.peak;
    return noWorse && (a.tokensPerSecond > b.tokensPerSecond || worth(a) > worth(b) || a.peak < b.peak);
}

// Fastest first: a point can then only be dominated by one that is on the front already.
void markPareto(std::vector<SweepPoint> &points)
{
    std::vector<SweepPoint *> order;
    for (SweepPoint &p : points) {
        if (runs(p))
            order.push_back(&p);
    }
    std::sort(order.begin(), order.end(), [](const SweepPoint *a, const SweepPoint *b) {
        return std::tuple(-a->tokensPerSecond, -worth(*a), a->peak) < std::tuple(-b->tokensPerSecond, -worth(*b), b->peak);
    });
    std::vector<const SweepPoint *> front;
    for (SweepPoint *p : order) {
        p->pareto = std::none_of(front.begin(), front.end(), [p](const SweepPoint *f) { return dominates(*f, *p); });
        if (p->pareto)
            front.push_back(p);
    }
}

Json orNull(const std::optional<double> &value) { return value ? Json(*value) : Json(nullptr); }

} // namespace

Sweep sweep(const RunConfig &base, const Grid &grid, const Catalogue &catalogue, const std::function<bool(std::size_t, std::size_t)> &progress)
{
    const auto begin = std::chrono::steady_clock::now();
    Sweep result{.grid = grid};
    const std::size_t all = grid.size();
    result.points.reserve(all);
    for (std::size_t i = 0; i < all; ++i) {
        result.points.push_back(predictPoint(base, grid, i, catalogue));
        if (progress && !progress(i + 1, all))
            break;
    }
    markPareto(result.points);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

Result<Sweep> bestBy(const Sweep &sweep, const std::vector<std::string> &keys)
{
    std::vector<std::size_t> columns;
    for (const std::string &key : keys) {
        const auto axis = std::find_if(sweep.grid.axes.begin(), sweep.grid.axes.end(), [&](const GridAxis &a) { return a.key == key; });
        if (axis == sweep.grid.axes.end())
            return Error{.what = "the grid does not vary '" + key + "'", .where = "--best-by", .accepted = "settings of the grid"};
        columns.push_back(static_cast<std::size_t>(axis - sweep.grid.axes.begin()));
    }
    std::map<std::vector<std::string>, std::size_t> best; // combination -> index into points
    std::vector<std::vector<std::string>> order;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const SweepPoint &p = sweep.points[i];
        std::vector<std::string> combination;
        for (const std::size_t column : columns)
            combination.push_back(p.values[column]);
        const auto [found, isNew] = best.emplace(combination, i);
        if (isNew) {
            order.push_back(combination);
            continue;
        }
        const SweepPoint &kept = sweep.points[found->second];
        if (runs(p) && (!runs(kept) || worth(p) > worth(kept)))
            found->second = i;
    }
    Sweep result{.grid = sweep.grid, .seconds = sweep.seconds};
    for (const auto &combination : order)
        result.points.push_back(sweep.points[best.at(combination)]);
    return result;
}

nlohmann::ordered_json toJson(const Sweep &sweep)
{
    Json grid = Json::object();
    for (const GridAxis &axis : sweep.grid.axes)
        grid[axis.key] = axis.values;
    Json points = Json::array();
    for (const SweepPoint &p : sweep.points) {
        Json point = Json::object();
        for (std::size_t i = 0; i < sweep.grid.axes.size(); ++i) {
            const std::optional<double> number = parseNumber(p.values[i]);
            point[sweep.grid.axes[i].key] = number ? (*number == double(std::int64_t(*number)) ? Json(std::int64_t(*number)) : Json(*number)) : Json(p.values[i]);
        }
        const bool known = p.skipped.empty();
        point["verdict"] = known ? Json(enumName(p.verdict)) : Json(nullptr);
        point["peak_bytes"] = known ? Json(p.peak) : Json(nullptr);
        point["tokens_per_s"] = known ? Json(p.tokensPerSecond) : Json(nullptr);
        point["tokens_per_s_per_gpu"] = known ? Json(p.tokensPerSecondPerGpu) : Json(nullptr);
        point["step_s"] = known ? Json(p.step) : Json(nullptr);
        point["mfu"] = known ? Json(p.mfu) : Json(nullptr);
        point["tokens_per_usd"] = orNull(p.tokensPerUsd);
        point["usd_per_billion_tokens"] = orNull(p.usdPerBillionTokens);
        point["pareto"] = p.pareto;
        point["skipped"] = known ? Json(nullptr) : Json(p.skipped);
        points.push_back(std::move(point));
    }
    return {{"version", 1}, {"grid", grid}, {"points", points}, {"seconds", sweep.seconds}};
}

std::string toCsv(const Sweep &sweep)
{
    std::vector<std::string> cells;
    for (const GridAxis &axis : sweep.grid.axes)
        cells.push_back(axis.key);
    for (const char *column : {"verdict", "peak_bytes", "tokens_per_s", "tokens_per_s_per_gpu", "step_s", "mfu", "tokens_per_usd", "usd_per_billion_tokens", "pareto", "skipped"})
        cells.emplace_back(column);
    std::string text = csvRecord(cells);
    const auto number = [](const std::optional<double> &value) { return value ? formatExact(*value) : std::string(); };
    for (const SweepPoint &p : sweep.points) {
        cells = p.values;
        if (p.skipped.empty()) {
            for (std::string cell : {std::string(enumName(p.verdict)), std::to_string(p.peak), formatExact(p.tokensPerSecond), formatExact(p.tokensPerSecondPerGpu), formatExact(p.step), formatExact(p.mfu),
                                     number(p.tokensPerUsd), number(p.usdPerBillionTokens), std::string(p.pareto ? "1" : "0"), std::string()})
                cells.push_back(std::move(cell));
        } else {
            cells.resize(cells.size() + 9);
            cells.push_back(p.skipped);
        }
        text += csvRecord(cells);
    }
    return text;
}

} // namespace slipway
