// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "explore/sweep.h"

namespace slipway {
namespace {

const Catalogue &catalogue()
{
    static const Catalogue loaded = loadCatalogue().value();
    return loaded;
}

Result<Grid> gridOf(const std::string &yaml)
{
    const auto path = std::filesystem::temp_directory_path() / ("slipway_grid_" + std::to_string(::getpid()) + ".yaml");
    std::ofstream(path) << yaml;
    Result<Grid> grid = readGrid(path.string());
    std::filesystem::remove(path);
    if (!grid) { // the file's name differs from run to run
        Error error = grid.error();
        error.where = error.where.substr(error.where.rfind(':'));
        return error;
    }
    return grid;
}

TEST(Grid, takesEveryCombinationWithTheLastAxisFastest)
{
    const Grid grid = gridOf("micro_batch: [4, 8]\nattention: [flash, vanilla]\nseq_len: 1024\n").value();
    ASSERT_EQ(grid.size(), 4U);
    EXPECT_EQ(grid.valuesAt(1), (std::vector<std::string>{"4", "vanilla", "1024"}));
    EXPECT_EQ(grid.valuesAt(2), (std::vector<std::string>{"8", "flash", "1024"}));
    const RunConfig config = configAt({}, grid, 3).value();
    EXPECT_EQ(config.microBatch, 8);
    EXPECT_EQ(config.attention, Attention::Vanilla);
}

TEST(Grid, namesLineAndWhatWouldBeAccepted)
{
    EXPECT_EQ(gridOf("micro_batch: [4]\nattenton: [flash]\n").error().where, ":2");
    EXPECT_EQ(gridOf("micro_batch: [4,\n  -8]\n").error().where, ":2");
    EXPECT_EQ(gridOf("micro_batch: []\n").error().where, ":1");
    EXPECT_EQ(gridOf("- 4\n").error().where, ":1");
    EXPECT_EQ(gridOf("micro_batch: [4\n").error().accepted, "YAML");
}

TEST(Grid, ofThePaperHasItsPoints)
{
    EXPECT_EQ(paperGrid().size(), 4U * 3 * 7 * 3 * 5 * 2);
}

TEST(Sweep, listsEveryPointAndWhyOneIsSkipped)
{
    RunConfig base;
    base.framework = Framework::PytorchEager;
    const Sweep swept = sweep(base, gridOf("model: [100M]\ngpus: [1, 2]\nparallel: [none, ddp]\n").value(), catalogue());
    ASSERT_EQ(swept.points.size(), 4U);
    EXPECT_EQ(swept.points[0].skipped, "");
    EXPECT_NE(swept.points[2].skipped, "") << "two ranks need a way to share";
    EXPECT_GT(swept.points[3].tokensPerSecond, swept.points[0].tokensPerSecond);
    const nlohmann::ordered_json json = toJson(swept);
    EXPECT_EQ(json["points"].size(), 4U);
    EXPECT_EQ(json["points"][3]["gpus"], 2);
    EXPECT_EQ(json["points"][3]["model"], "100M");
    EXPECT_TRUE(json["points"][2]["tokens_per_s"].is_null());
}

TEST(Sweep, bestByKeepsTheBestThatRunsOfEachCombination)
{
    RunConfig base;
    base.framework = Framework::PytorchEager;
    const Sweep swept = sweep(base, gridOf("model: [1B]\ngpu: [a100-sxm-40gb]\nattention: [flash, vanilla]\nmicro_batch: [1, 2, 512]\n").value(), catalogue());
    const Sweep best = bestBy(swept, {"attention"}).value();
    ASSERT_EQ(best.points.size(), 2U);
    for (const SweepPoint &point : best.points) {
        EXPECT_NE(point.verdict, Verdict::Oom);
        for (const SweepPoint &other : swept.points) {
            if (other.values[2] == point.values[2] && other.verdict != Verdict::Oom) {
                EXPECT_GE(*point.tokensPerUsd, *other.tokensPerUsd);
            }
        }
    }
    EXPECT_EQ(bestBy(swept, {"gpus"}).error().where, "--best-by");
}

TEST(Sweep, marksThePointsThatNoOtherBeats)
{
    RunConfig base;
    base.framework = Framework::PytorchEager;
    const Sweep swept = sweep(base, gridOf("model: [100M]\nmicro_batch: [1, 4, 16, 64]\nrecompute: [none, full]\n").value(), catalogue());
    const auto beats = [](const SweepPoint &a, const SweepPoint &b) { return a.tokensPerSecond > b.tokensPerSecond && *a.tokensPerUsd > *b.tokensPerUsd && a.peak < b.peak; };
    int front = 0;
    for (const SweepPoint &p : swept.points) {
        front += p.pareto;
        for (const SweepPoint &other : swept.points)
            EXPECT_FALSE(p.pareto && other.verdict != Verdict::Oom && beats(other, p));
    }
    EXPECT_GT(front, 0);
}

TEST(Sweep, stopsWhereItIsToldTo)
{
    RunConfig base;
    base.model.name = "100M";
    const Sweep swept = sweep(base, gridOf("micro_batch: [1, 2, 3, 4, 5]\n").value(), catalogue(), [](std::size_t done, std::size_t) { return done < 2; });
    EXPECT_EQ(swept.points.size(), 2U);
}

} // namespace
} // namespace slipway
