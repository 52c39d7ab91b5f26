// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/serving_sweep.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "support/serving_catalogue.h"

namespace slipway {
namespace {

Grid gridOf(std::vector<GridAxis> axes) { return {.name = "test", .axes = std::move(axes)}; }

Result<Grid> readText(const std::string &yaml)
{
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("serving_grid_" + std::to_string(getpid()) + ".yaml");
    std::ofstream(path) << yaml;
    return readServingGrid(path.string());
}

ServingSweep sweepOf(const ServeConfig &base, const Grid &grid)
{
    return sweepServing({.base = base, .grid = grid, .catalogue = catalogue(), .frameworks = frameworks()});
}

TEST(ServingSweep, EachPointIsThePlanOfItsSettings)
{
    const Grid grid = gridOf({{"weights", {"bf16", "int4"}}, {"batch", {"1", "64", "1000"}}});
    const ServeConfig base = eightBillion();
    const ServingSweep sweep = sweepOf(base, grid);
    ASSERT_EQ(sweep.points.size(), 6U);
    EXPECT_FALSE(sweep.end.cancelled());
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        ServeConfig config = base;
        for (std::size_t axis = 0; axis < 2; ++axis)
            ASSERT_TRUE(setServeSetting(config, grid.axes[axis].key, grid.valueAt(i, axis)));
        EXPECT_EQ(sweep.points[i].index, i);
        EXPECT_EQ(sweep.points[i].outcome, serveOutcome(config, catalogue(), frameworks()).value());
    }
    EXPECT_EQ(sweep.points[2].outcome.verdict, Verdict::Oom);
    EXPECT_FALSE(sweep.points[2].runs());
}

TEST(ServingSweep, ThePlansOfAGridHaveTheLoadThatIsAskedFor)
{
    ServeConfig base = eightBillion();
    base.requests = 100;
    const ServingSweep sweep = sweepOf(base, gridOf({{"requests_per_s", {"1", "8"}}}));
    ASSERT_TRUE(sweep.points[0].load && sweep.points[1].load);
    ServeConfig config = base;
    config.requestsPerSecond = 8;
    EXPECT_EQ(*sweep.points[1].load, *predictServing(config, catalogue(), frameworks())->load);
    EXPECT_LT(sweep.points[0].load->result.ttft.p99, sweep.points[1].load->result.ttft.p99);
}

TEST(ServingSweep, AModelOfAnAxisKeepsTheSizesOfTheOtherAxes)
{
    const Grid grid = gridOf({{"kv_heads", {"8", "32"}}, {"model", {"llama-3.1-8b"}}});
    ServeConfig base;
    base.run.gpu = "h100-sxm-80gb";
    const ServingSweep sweep = sweepOf(base, grid);
    EXPECT_EQ(sweep.points[1].outcome.cache, 4 * sweep.points[0].outcome.cache);
}

TEST(ServingSweep, WhatCannotBePlannedSaysWhy)
{
    const ServingSweep sweep = sweepOf(eightBillion(), gridOf({{"tp", {"1", "3"}}}));
    EXPECT_TRUE(sweep.points[0].skipped.empty());
    EXPECT_NE(sweep.points[1].skipped.find("--tp"), std::string::npos);
}

TEST(ServingSweep, AReadGridHasTheKeysOfServing)
{
    const Grid grid = readText("kv: [bf16, fp8]\nbatch: {from: 1, to: 64, times: 4}\ngpu: l4\n").value();
    ASSERT_EQ(grid.axes.size(), 3U);
    EXPECT_EQ(grid.axes[1].values, (std::vector<std::string>{"1", "4", "16", "64"}));
    EXPECT_EQ(grid.size(), 8U);
    EXPECT_EQ(readText("prompt: {from: 1000000, to: 2000000, times: 2}\n")->axes[0].values,
        (std::vector<std::string>{"1000000", "2000000"})); // not 1e+06
    const auto message = [](const char *yaml) { return readText(yaml).error().message(); };
    EXPECT_NE(message("kv: [bf16, int4]\n").find(":1: 'int4' is not one of the types (accepted: bf16, fp8, fp32)"),
        std::string::npos);
    EXPECT_NE(message("batch: [1]\nmicro_batch: [1]\n").find(":2: "), std::string::npos);
    EXPECT_NE(message("batches: [1]\n").find("did you mean batch"), std::string::npos);
    EXPECT_NE(message("batch: []\n").find("has no value"), std::string::npos);
    EXPECT_NE(message("prompt: {from: 1, to: 1001, step: 1}\ngenerate: {from: 1, to: 1000, step: 1}\n")
                  .find("at most 1000000"),
        std::string::npos);
}

TEST(ServingSweep, CancellingKeepsWhatIsThere)
{
    const Grid grid = gridOf({{"batch", std::vector<std::string>(500, "1")}});
    const ServeConfig base = eightBillion();
    const ServingSweep sweep =
        sweepServing({.base = base, .grid = grid, .catalogue = catalogue(), .frameworks = frameworks(), .threads = 2},
            [](std::size_t) { return false; });
    EXPECT_TRUE(sweep.end.cancelled());
    EXPECT_EQ(sweep.points.size(), sweep.end.done);
    EXPECT_LT(sweep.end.done, 500U);
}

ServingPoint pointOf(std::size_t index, Seconds tpot, double usd)
{
    ServingPoint point{.index = index};
    point.outcome.tpot = tpot;
    point.outcome.usdPerMillionTokens = usd;
    return point;
}

TEST(ServingSweep, ThePointsThatNoneBeatsAreFasterOrCheaperThanAllOthers)
{
    std::vector<ServingPoint> points{
        pointOf(0, 0.02, 1), pointOf(1, 0.01, 2), pointOf(2, 0.02, 3), pointOf(3, 0.03, 0.5), pointOf(4, 0.01, 2)};
    points.push_back(pointOf(5, 0.001, 0.1));
    points.back().outcome.verdict = Verdict::Oom;
    std::vector<std::size_t> indices;
    for (const ServingPoint &point : paretoFrontOf(points))
        indices.push_back(point.index);
    EXPECT_EQ(indices, (std::vector<std::size_t>{0, 1, 3}));
    const Grid grid = gridOf({{"weights", {"bf16", "int4"}}, {"batch", {"1", "2", "3"}}});
    BestPoints<ServingPoint> best = BestPoints<ServingPoint>::create(grid, {"weights"}).value();
    for (const ServingPoint &point : points)
        best.add(point);
    ASSERT_EQ(best.points().size(), 2U);
    EXPECT_EQ(best.points()[0].index, 0U);
    EXPECT_EQ(best.points()[1].index, 3U);
    EXPECT_EQ(BestPoints<ServingPoint>::create(grid, {"kv"}).error().where, "--best-by");
}

TEST(ServingSweep, JsonAndCsvHaveTheSameFigures)
{
    const Grid grid = gridOf({{"batch", {"4"}}, {"tp", {"1", "3"}}});
    const ServeConfig base = eightBillion();
    const ServingSweep sweep = sweepOf(base, grid);
    const Grid all = withServingChoices(grid, base);
    const nlohmann::ordered_json json = toJson(all, sweep.points[0]);
    EXPECT_EQ(json["batch"], 4);
    EXPECT_EQ(json["contiguous"], false);
    EXPECT_EQ(json["verdict"], "fits");
    EXPECT_EQ(json["peak_bytes"], sweep.points[0].outcome.peak);
    for (const char *count : {"peak_bytes", "kv_cache_bytes", "max_sequences"})
        EXPECT_TRUE(json[count].is_number_integer()) << count;
    for (const char *measure : {"time_to_first_token_s", "time_per_output_token_s", "tokens_per_s"})
        EXPECT_TRUE(json[measure].is_number_float()) << measure;
    EXPECT_TRUE(json["ttft_p99_s"].is_null());
    EXPECT_TRUE(toJson(all, sweep.points[1])["tokens_per_s"].is_null());
    const CsvTable table = parseCsv(servingCsv(all, sweep.points), "points.csv").value();
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_DOUBLE_EQ(
        std::stod(std::string(table.cell(table.rows[0], "time_per_output_token_s"))), sweep.points[0].outcome.tpot);
    EXPECT_EQ(table.cell(table.rows[0], "skipped"), "");
    EXPECT_EQ(table.cell(table.rows[1], "tokens_per_s"), "");
    EXPECT_NE(table.cell(table.rows[1], "skipped").find("--tp"), std::string::npos);
}

} // namespace
} // namespace slipway
