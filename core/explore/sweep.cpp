// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/sweep.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/control_group.h"
#include "base/json_values.h"
#include "base/text.h"
#include "explore/plan_groups.h"
#include "predict/assess.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPointsPerThread = 64; // between two calls of take()
constexpr std::size_t kMostPoints = 1024;    // so that progress and cancelling wait for a second at most

SweepPoint predictPoint(const SweepRequest &request, std::size_t index, Assessor &assessor)
{
    SweepPoint point{.index = index};
    const auto assessed = [&]() -> Result<Assessment> {
        const Result<RunConfig> config = configAt(request.base, request.grid, index);
        if (!config)
            return config.error();
        const Result<ResolvedConfig> resolved = resolveConfig(*config, request.catalogue);
        if (!resolved)
            return resolved.error();
        point.attention = resolved->config.attentionOrFlash();
        point.recompute = resolved->config.recomputeOrNone();
        point.precision = resolved->config.precisionOrMixed();
        return assessor.assess(*resolved, request.catalogue);
    };
    const Result<Assessment> assessment = assessed();
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

// Points between two calls of take().
std::size_t batchSize(const PlanGroups &planGroups, unsigned threads)
{
    const std::size_t usual = kPointsPerThread * threads;
    return planGroups.blockSize() > kMostPoints
               ? usual
               : ceilDiv(std::int64_t(usual), std::int64_t(planGroups.blockSize())) * planGroups.blockSize();
}

// Fills `batch` with the points from `first` on.
void predictBatch(const SweepRequest &request, const PlanGroups &planGroups, std::size_t first,
    std::vector<SweepPoint> &batch, unsigned threads)
{
    const std::vector<std::vector<std::size_t>> groups = planGroups.groups(first, batch.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t group = next++; group < groups.size(); group = next++) {
            Assessor assessor;
            for (const std::size_t i : groups[group])
                batch[i] = predictPoint(request, first + i, assessor);
        }
    };
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i)
        helpers.emplace_back(work);
    work();
}

} // namespace

nlohmann::ordered_json valueJson(const std::string &text)
{
    if (const auto whole = parseInteger(text))
        return *whole;
    const std::optional<double> number = parseNumber(text);
    return number ? Json(*number) : Json(text);
}

SweepPoint predictPoint(const SweepRequest &request, std::size_t index)
{
    Assessor assessor;
    return predictPoint(request, index, assessor);
}

SweepStatus forEachPoint(const SweepRequest &request, const std::function<bool(SweepPoint &&)> &take)
{
    const auto begin = std::chrono::steady_clock::now();
    const unsigned threads = request.threads > 0 ? request.threads : static_cast<unsigned>(usableThreads());
    SweepStatus end{.all = request.grid.size()};
    const PlanGroups planGroups(request.base, request.grid);
    const std::size_t size = batchSize(planGroups, threads);
    std::vector<SweepPoint> batch;
    for (bool keepGoing = true; keepGoing && end.done < end.all;) {
        batch.assign(std::min(end.all - end.done, size), {});
        predictBatch(request, planGroups, end.done, batch, threads);
        for (SweepPoint &point : batch) {
            ++end.done;
            keepGoing = take(std::move(point));
            if (!keepGoing)
                break;
        }
    }
    end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return end;
}

void ParetoFront::add(const SweepPoint &point, std::int64_t tag)
{
    if (!point.runs())
        return;
    const Member added{.index = point.index,
        .tokensPerSecond = point.tokensPerSecond,
        .objective = point.objective(),
        .peak = point.peak,
        .tag = tag};
    const auto noWorse = [](const Member &a, const Member &b) {
        return a.tokensPerSecond >= b.tokensPerSecond && a.objective >= b.objective && a.peak <= b.peak;
    };
    if (std::any_of(m_members.begin(), m_members.end(), [&](const Member &m) { return noWorse(m, added); }))
        return;
    std::erase_if(m_members, [&](const Member &m) { return noWorse(added, m); });
    m_members.push_back(added);
}

Sweep sweep(const SweepRequest &request, const std::function<bool(std::size_t, std::size_t)> &progress)
{
    Sweep result{.base = request.base, .grid = request.grid};
    if (const Result<PriceBook> book = request.catalogue.priceBook(request.base.prices))
        result.prices = book->id + (book->asOf.empty() ? "" : ", " + book->asOf);
    ParetoFront front;
    const std::size_t all = request.grid.size();
    result.end = forEachPoint(request, [&](SweepPoint &&point) {
        front.add(point);
        result.points.push_back(std::move(point));
        return !progress || progress(result.points.size(), all);
    });
    for (const ParetoFront::Member &member : front.members())
        result.pareto.push_back(member.index);
    std::sort(result.pareto.begin(), result.pareto.end());
    return result;
}

Json gridJson(const Grid &grid)
{
    Json json = Json::object();
    for (const GridAxis &axis : grid.axes)
        json[axis.key] = axis.values;
    return json;
}

std::vector<std::string> choicesOf(const Grid &grid, const SweepPoint &point)
{
    std::vector<std::string> values = grid.valuesAt(point.index);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string &key = grid.axes[i].key;
        if (!values[i].empty())
            continue;
        if (key == "attention")
            values[i] = enumName(point.attention);
        else if (key == "recompute")
            values[i] = enumName(point.recompute);
        else if (key == "precision")
            values[i] = enumName(point.precision);
    }
    return values;
}

Json toJson(const Grid &grid, const SweepPoint &p)
{
    Json point = Json::object();
    const std::vector<std::string> values = choicesOf(grid, p);
    for (std::size_t i = 0; i < values.size(); ++i)
        point[grid.axes[i].key] = valueJson(values[i]);
    const bool known = p.skipped.empty();
    const auto figure = [&](const char *key, auto value) { point[key] = known ? Json(value) : Json(nullptr); };
    figure("verdict", enumName(p.verdict));
    figure("peak_bytes", p.peak);
    figure("tokens_per_s", p.tokensPerSecond);
    figure("tokens_per_s_per_gpu", p.tokensPerSecondPerGpu);
    figure("step_s", p.step);
    figure("mfu", p.mfu);
    point["tokens_per_usd"] = orNull(p.tokensPerUsd);
    point["usd_per_billion_tokens"] = orNull(p.usdPerBillionTokens);
    point["skipped"] = known ? Json(nullptr) : Json(p.skipped);
    return point;
}

} // namespace slipway
