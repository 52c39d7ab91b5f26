// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/serving_sweep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/control_group.h"
#include "base/csv.h"
#include "base/text.h"
#include "config/settings.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kServingPointsPerThread = 16; // between two questions whether to go on

bool isShared(std::string_view key)
{
    const std::span<const std::string_view> shared = sharedSettingKeys();
    return std::find(shared.begin(), shared.end(), key) != shared.end();
}

bool isServing(std::string_view key)
{
    const std::span<const ServeSetting> own = serveSettings();
    return std::any_of(own.begin(), own.end(), [key](const ServeSetting &setting) { return setting.key == key; });
}

std::vector<std::string> servingKeys()
{
    std::vector<std::string> keys;
    for (const std::string_view key : sharedSettingKeys())
        keys.emplace_back(key);
    for (const ServeSetting &setting : serveSettings())
        keys.emplace_back(setting.key);
    return keys;
}

GridSettings servingSettings()
{
    return {.key = [](const std::string &name, const std::string &where) -> Result<std::string> {
                std::string key = name;
                std::replace(key.begin(), key.end(), '-', '_');
                return isShared(key) || isServing(key) ? Result<std::string>(key)
                                                       : unknownName("setting of serving", name, servingKeys(), where);
            },
        .check =
            [](const std::string &key, const std::string &text) {
                ServeConfig scratch;
                return setServeSetting(scratch, key, text);
            },
        .accepted =
            [](const std::string &key) {
                return isShared(key) ? findSetting(key)->accepted() : "a value of serve-plan's setting " + key;
            }};
}

// The model first: choosing one drops the sizes that were changed about another.
Result<ServeConfig> configAt(const ServingSweepRequest &request, std::size_t index)
{
    ServeConfig config = request.base;
    const std::vector<std::string> values = request.grid.valuesAt(index);
    for (const bool model : {true, false}) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string &key = request.grid.axes[i].key;
            if ((key == "model") != model)
                continue;
            if (const Result<void> set = setServeSetting(config, key, values[i]); !set)
                return set.error();
        }
    }
    return config;
}

Json choiceJson(const std::string &text)
{
    if (text == "true" || text == "false")
        return text == "true";
    return text.empty() ? Json(nullptr) : Json(valueJson(text));
}

// A result of a point: its column and its value, empty where the point has none.
struct Figure {
    const char *key;
    std::optional<double> value;
    bool counts = false; // whole numbers
};

std::vector<Figure> figuresOf(const ServingPoint &p)
{
    const ServeOutcome &o = p.outcome;
    const auto ofLoad = [&](Percentiles LoadResult::*times, Seconds Percentiles::*part) {
        return p.load ? std::optional(p.load->result.*times.*part) : std::nullopt;
    };
    return {{"peak_bytes", double(o.peak), true}, {"kv_cache_bytes", double(o.cache), true},
        {"max_sequences", double(o.maxSequences), true}, {"time_to_first_token_s", o.ttft},
        {"time_per_output_token_s", o.tpot}, {"tokens_per_s", o.tokensPerSecond},
        {"ttft_p50_s", ofLoad(&LoadResult::ttft, &Percentiles::p50)},
        {"ttft_p99_s", ofLoad(&LoadResult::ttft, &Percentiles::p99)},
        {"tpot_p50_s", ofLoad(&LoadResult::tpot, &Percentiles::p50)},
        {"tpot_p99_s", ofLoad(&LoadResult::tpot, &Percentiles::p99)},
        {"request_p50_s", ofLoad(&LoadResult::latency, &Percentiles::p50)},
        {"request_p99_s", ofLoad(&LoadResult::latency, &Percentiles::p99)}, {"usd_per_hour", o.usdPerHour},
        {"usd_per_million_tokens", o.usdPerMillionTokens}};
}

} // namespace

Result<Grid> readServingGrid(const std::string &file)
{
    Result<Grid> grid = readGridFile(file, servingSettings());
    if (grid && grid->size() > kLargestServingGrid)
        return Error{.what = "the grid has " + std::to_string(grid->size()) + " points",
            .where = file,
            .accepted = "at most " + std::to_string(kLargestServingGrid)};
    return grid;
}

ServingPoint predictServingPoint(const ServingSweepRequest &request, std::size_t index)
{
    ServingPoint point{.index = index};
    const Result<ServeConfig> config = configAt(request, index);
    const Result<Serving> serving =
        config ? resolveServing(*config, request.catalogue, request.frameworks) : config.error();
    if (!serving) {
        point.skipped = serving.error().message();
        return point;
    }
    point.outcome = outcomeOf(*serving, request.catalogue);
    if (config->requestsPerSecond && point.outcome.maxSequences > 0) {
        const ServeSpeed speed = speedOf(*serving, point.outcome.maxSequences);
        point.load = loadOf(*serving, *config->requestsPerSecond, speed.tokensPerSecondMost);
    }
    return point;
}

ServingSweep sweepServing(const ServingSweepRequest &request, const std::function<bool(std::size_t done)> &progress)
{
    const auto begin = std::chrono::steady_clock::now();
    const unsigned threads = request.threads > 0 ? request.threads : static_cast<unsigned>(usableThreads());
    ServingSweep result;
    result.end.all = request.grid.size();
    while (result.points.size() < result.end.all) {
        const std::size_t first = result.points.size(),
                          count = std::min(result.end.all - first, kServingPointsPerThread * threads);
        result.points.resize(first + count);
        std::atomic<std::size_t> next{first};
        const auto work = [&] {
            for (std::size_t i = next++; i < first + count; i = next++)
                result.points[i] = predictServingPoint(request, i);
        };
        {
            std::vector<std::jthread> helpers;
            for (unsigned i = 1; i < threads; ++i)
                helpers.emplace_back(work);
            work();
        }
        if (progress && !progress(result.points.size()))
            break;
    }
    result.end.done = result.points.size();
    result.end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

std::vector<ServingPoint> paretoFrontOf(std::vector<ServingPoint> points)
{
    std::erase_if(points, [](const ServingPoint &p) { return !p.runs(); });
    // By time, and of those that take as long the worthiest first: a point is on the front where it has a higher
    // objective than all that are at least as fast.
    std::stable_sort(points.begin(), points.end(), [](const ServingPoint &a, const ServingPoint &b) {
        return std::pair(a.outcome.tpot, -a.objective()) < std::pair(b.outcome.tpot, -b.objective());
    });
    double most = -1;
    std::erase_if(points, [&most](const ServingPoint &p) {
        const bool beaten = p.objective() <= most;
        most = std::max(most, p.objective());
        return beaten;
    });
    std::sort(
        points.begin(), points.end(), [](const ServingPoint &a, const ServingPoint &b) { return a.index < b.index; });
    return points;
}

Grid withServingChoices(Grid grid, const ServeConfig &base)
{
    constexpr std::array kChoices{"model", "gpu", "tp", "framework", "weights", "kv", "prompt", "generate", "batch",
        "requests_per_s", "block", "contiguous", "max_length"};
    for (const char *key : kChoices) {
        if (!grid.axisOf(key))
            grid.axes.push_back({.key = key, .values = {serveSettingText(base, key)}});
    }
    return grid;
}

Json toJson(const Grid &grid, const ServingPoint &p)
{
    Json point = Json::object();
    const std::vector<std::string> values = grid.valuesAt(p.index);
    for (std::size_t i = 0; i < values.size(); ++i)
        point[grid.axes[i].key] = choiceJson(values[i]);
    const bool known = p.skipped.empty();
    point["verdict"] = known ? Json(enumName(p.outcome.verdict)) : Json(nullptr);
    for (const Figure &figure : figuresOf(p)) {
        point[figure.key] = !known || !figure.value ? Json(nullptr)
                            : figure.counts         ? Json(static_cast<std::int64_t>(*figure.value))
                                                    : Json(*figure.value);
    }
    point["skipped"] = known ? Json(nullptr) : Json(p.skipped);
    return point;
}

std::string servingCsv(const Grid &grid, const std::vector<ServingPoint> &points)
{
    std::vector<std::string> header;
    for (const GridAxis &axis : grid.axes)
        header.push_back(axis.key);
    header.emplace_back("verdict");
    for (const Figure &figure : figuresOf({}))
        header.emplace_back(figure.key);
    header.emplace_back("skipped");
    std::string table = csvRecord(header);
    for (const ServingPoint &p : points) {
        std::vector<std::string> cells = grid.valuesAt(p.index);
        const bool known = p.skipped.empty();
        cells.push_back(known ? std::string(enumName(p.outcome.verdict)) : std::string());
        for (const Figure &figure : figuresOf(p))
            cells.push_back(known && figure.value ? formatExact(*figure.value) : std::string());
        cells.push_back(p.skipped);
        table += csvRecord(cells);
    }
    return table;
}

} // namespace slipway
