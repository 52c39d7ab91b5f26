// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/csv.h"
#include "config/settings.h"
#include "explore/plan_groups.h"
#include "explore/sweep_csv.h"
#include "support/shipped_catalogue.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

Result<Grid> gridOf(const std::string &yaml)
{
    const auto path = std::filesystem::temp_directory_path() / ("slipway_grid_" + std::to_string(::getpid()) + ".yaml");
    std::ofstream(path) << yaml;
    Result<Grid> grid = readGrid(path.string());
    std::filesystem::remove(path);
    if (!grid) { // the file's name differs from run to run
        Error error = grid.error();
        error.where = error.where.substr(std::min(error.where.rfind(':'), error.where.size()));
        return error;
    }
    return grid;
}

TEST(Grid, OverModelsPlansEachWithItsOwnShapeWhateverThePlanChanged)
{
    RunConfig base;
    base.model = {.name = "1B", .layers = 4, .hidden = 128, .vocab = 2048};
    const Grid models{.axes = {{.key = "model", .values = {"1B", "2B"}}}};
    EXPECT_EQ(configAt(base, models, 1).value().model, ModelChoice{.name = "2B"});
    EXPECT_EQ(configAt(base, models, 0).value().model, ModelChoice{.name = "1B"});
    const Grid depths{.axes = {{.key = "layers", .values = {"2", "3"}}, {.key = "model", .values = {"2B"}}}};
    EXPECT_EQ(configAt(base, depths, 1).value().model, (ModelChoice{.name = "2B", .layers = 3}));
    const Grid batches{.axes = {{.key = "micro_batch", .values = {"1", "2"}}}};
    EXPECT_EQ(configAt(base, batches, 1).value().model, base.model);
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
    EXPECT_EQ(gridOf("micro_batch: [4]\nmicro-batch: [8]\n").error().where, ":2");
}

TEST(Grid, isNotMadeWhereAnAxisIsHugeAndAnotherOneEmpty)
{
    EXPECT_NE(gridOf("micro_batch: {from: 1, to: 1e15, step: 1}\nseq_len: []\n").error().what.find("points"),
        std::string::npos);
}

TEST(PlanGroups, putPointsTogetherThatDifferInTheCardOrInWhatItCosts)
{
    const Grid grid =
        gridOf("gpu: [a100-sxm-80gb, h100-sxm-80gb]\nmicro_batch: [4, 8]\nmemory_gib: [20, 40, 80]\n").value();
    const PlanGroups axes({}, grid);
    EXPECT_EQ(axes.blockSize(), 12U);
    EXPECT_EQ(axes.groups(0, 12), (std::vector<std::vector<std::size_t>>{{0, 1, 2, 6, 7, 8}, {3, 4, 5, 9, 10, 11}}));
    EXPECT_EQ(axes.groups(5, 3), (std::vector<std::vector<std::size_t>>{{0}, {1, 2}}));
    EXPECT_EQ(PlanGroups({}, gridOf("gpus: [1, 2]\nmicro_batch: [4, 8]\n").value()).blockSize(), 1U);
}

TEST(Sweep, answersPointsThatShareAPlanAsIfEachStoodAlone)
{
    RunConfig base;
    base.framework = Framework::PytorchEager;
    base.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    const Grid grid = gridOf("gpu: [a100-sxm-40gb, h100-sxm-80gb]\nmodel: [100M, 1B]\nnetwork_gbps: [100, "
                             "800]\nmicro_batch: [4, 32]\nmemory_gib: [8, 25, 40]\n")
                          .value();
    const SweepRequest request{.base = base, .grid = grid, .catalogue = catalogue(), .threads = 2};
    std::size_t next = 0;
    forEachPoint(request, [&](SweepPoint &&point) {
        EXPECT_EQ(point.index, next++);
        EXPECT_EQ(point, predictPoint(request, point.index));
        return true;
    });
    EXPECT_EQ(next, grid.size());
}

TEST(Sweep, planAnewTheCardThatChangesTheFrameworksChoices)
{
    Catalogue own = catalogue();
    FrameworkField field;
    field.key = "recompute";
    field.value = "full";
    field.when = {{.key = "gpu", .accepted = {"h100-sxm-80gb"}}};
    own.frameworks.profiles.push_back({.id = "own", .title = "Own", .fields = {field}});
    const RunConfig base = applySetting({}, "framework", "own").value();
    const Grid grid = gridOf("gpu: [a100-sxm-80gb, h100-sxm-80gb]\n").value();
    const SweepRequest request{.base = base, .grid = grid, .catalogue = own, .threads = 1};
    std::vector<SweepPoint> points;
    forEachPoint(request, [&](SweepPoint &&point) {
        EXPECT_EQ(point, predictPoint(request, point.index));
        points.push_back(std::move(point));
        return true;
    });
    ASSERT_EQ(points.size(), 2U);
    EXPECT_LT(points[1].peak, points[0].peak) << "activations are computed again";
}

TEST(Grid, ofThePaperHasItsPoints) { EXPECT_EQ(paperGrid().size(), 4U * 3 * 7 * 3 * 5 * 2); }

TEST(Grid, countsRangesOut)
{
    EXPECT_EQ(gridOf("micro_batch: {from: 1, to: 64, times: 2}\n").value().axes[0].values,
        (std::vector<std::string>{"1", "2", "4", "8", "16", "32", "64"}));
    EXPECT_EQ(gridOf("learning_rate: {from: 0.1, to: 0.3, step: 0.1}\n").value().axes[0].values,
        (std::vector<std::string>{"0.1", "0.2", "0.3"}));
    EXPECT_EQ(gridOf("gpus: {from: 5, to: 5, step: 1}\n").value().size(), 1U);
    for (const char *range : {"{from: 1, to: 4}", "{from: 1, to: 4, step: -1}", "{from: 4, to: 1, step: 1}",
             "{from: 0, to: 4, times: 2}", "{from: 1, to: 4, times: 1}", "{from: a, to: 4, step: 1}", "{begin: 1}"})
        EXPECT_EQ(gridOf(std::string("gpus: ") + range + "\n").error().where, ":1") << range;
}

TEST(Grid, isRefusedWithItsCountBeforeAnyOfItIsKept)
{
    const std::string thousand = "{from: 1, to: 1000, step: 1}\n";
    const auto refused = gridOf("micro_batch: " + thousand + "seq_len: " + thousand + "grad_accum: " + thousand);
    EXPECT_EQ(refused.error().what, "the grid has 1000000000 points");
    EXPECT_EQ(gridOf("tokens: {from: 1, to: 1000000000000000, step: 1}\n").error().what,
        "the grid has 1000000000000000 points");
    EXPECT_EQ(gridOf("tokens: {from: 1, to: 1e18, step: 1}\nseq_len: {from: 1, to: 1e18, step: 1}\n").error().what,
        "the grid has more than 10^19 points");
}

class SweepOf : public ::testing::Test {
protected:
    SweepOf() { m_base.framework = Framework::PytorchEager; }
    Sweep run(const std::string &yaml, unsigned threads = 1)
    {
        m_grid = gridOf(yaml).value();
        return sweep({.base = m_base, .grid = m_grid, .catalogue = catalogue(), .threads = threads});
    }
    RunConfig m_base;
    Grid m_grid;
};

TEST_F(SweepOf, AGridListsEveryPointAndWhyOneIsSkipped)
{
    const Sweep swept = run("model: [100M]\ngpus: [1, 2]\nparallel: [none, ddp]\n");
    ASSERT_EQ(swept.points.size(), 4U);
    EXPECT_EQ(swept.prices.rfind("list, 20", 0), 0U)
        << swept.prices; // nobody named a book: the one that is meant, and its date
    EXPECT_EQ(swept.points[0].skipped, "");
    EXPECT_NE(swept.points[2].skipped, "") << "two ranks need a way to share";
    EXPECT_GT(swept.points[3].tokensPerSecond, swept.points[0].tokensPerSecond);
    const nlohmann::ordered_json json = toJson(m_grid, swept.points[3]);
    EXPECT_EQ(json["gpus"], 2);
    EXPECT_EQ(json["model"], "100M");
    EXPECT_TRUE(toJson(m_grid, swept.points[2])["tokens_per_s"].is_null());
}

TEST_F(SweepOf, AGridIsTheSameOnOneThreadAndOnMany)
{
    const std::string yaml = "model: [100M]\nmicro_batch: {from: 1, to: 150, step: 1}\n";
    const Sweep one = run(yaml), many = run(yaml, 3);
    ASSERT_EQ(one.points.size(), many.points.size());
    for (std::size_t i = 0; i < one.points.size(); ++i) {
        EXPECT_EQ(many.points[i].index, i);
        EXPECT_EQ(one.points[i].tokensPerSecond, many.points[i].tokensPerSecond);
        EXPECT_EQ(one.points[i].peak, many.points[i].peak);
    }
    EXPECT_EQ(one.pareto, many.pareto);
}

TEST_F(SweepOf, AGridGivesTheBestThatRunsOfEachCombination)
{
    const Sweep swept =
        run("model: [1B]\ngpu: [a100-sxm-40gb]\nattention: [flash, vanilla]\nmicro_batch: [1, 2, 512]\n");
    BestBy best = BestBy::create(m_grid, {"attention"}).value();
    for (const SweepPoint &point : swept.points)
        best.add(point);
    ASSERT_EQ(best.points().size(), 2U);
    for (const SweepPoint &point : best.points()) {
        EXPECT_NE(point.verdict, Verdict::Oom);
        for (const SweepPoint &other : swept.points) {
            if (m_grid.valueAt(other.index, 2) == m_grid.valueAt(point.index, 2) && other.verdict != Verdict::Oom) {
                EXPECT_GE(*point.tokensPerUsd, *other.tokensPerUsd);
            }
        }
    }
    EXPECT_EQ(BestBy::create(m_grid, {"gpus"}).error().where, "--best-by");
}

TEST_F(SweepOf, AGridMarksThePointsThatNoOtherBeats)
{
    const Sweep swept = run("model: [100M]\nmicro_batch: [1, 4, 16, 64]\nrecompute: [none, full]\n");
    const auto beats = [](const SweepPoint &a, const SweepPoint &b) {
        return a.tokensPerSecond > b.tokensPerSecond && *a.tokensPerUsd > *b.tokensPerUsd && a.peak < b.peak;
    };
    EXPECT_FALSE(swept.pareto.empty());
    for (const std::size_t member : swept.pareto) {
        for (const SweepPoint &other : swept.points)
            EXPECT_FALSE(other.verdict != Verdict::Oom && beats(other, swept.points[member]));
    }
}

TEST_F(SweepOf, AGridStopsWhereItIsToldTo)
{
    m_grid = gridOf("model: [100M]\nmicro_batch: [1, 2, 3, 4, 5]\n").value();
    const Sweep swept = sweep({.base = m_base, .grid = m_grid, .catalogue = catalogue()},
        [](std::size_t done, std::size_t) { return done < 2; });
    EXPECT_EQ(swept.points.size(), 2U);
    EXPECT_TRUE(swept.end.cancelled());
    EXPECT_EQ(swept.end.all, 5U);
}

TEST_F(SweepOf, AGridIsATableWithTheFrontMarkedThatIsThereOnlyWhenWhole)
{
    const TemporaryDirectory folder;
    const std::filesystem::path file = folder.path() / "grid.csv";
    const Sweep swept = run("model: [100M]\nmicro_batch: [1, 4, 16, 64]\nparallel: [none, fsdp-full]\ngpus: [1, "
                            "8]\nrecompute: [none, full]\n");
    EXPECT_TRUE(std::ranges::any_of(swept.points, [](const SweepPoint &point) { return !point.skipped.empty(); }));
    ParetoFront front;
    SweepCsv csv(file, m_grid);
    for (const SweepPoint &point : swept.points)
        front.add(point, csv.add(point));
    EXPECT_FALSE(std::filesystem::exists(file));
    ASSERT_TRUE(csv.finish(front));
    const CsvTable table = readCsv(file).value();
    ASSERT_EQ(table.rows.size(), swept.points.size());
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        EXPECT_EQ(table.cell(table.rows[i], "micro_batch"), m_grid.valueAt(i, 1));
        EXPECT_EQ(table.rows[i].fault, "") << "as many cells as the header";
        EXPECT_EQ(table.cell(table.rows[i], "skipped"), swept.points[i].skipped);
        if (table.cell(table.rows[i], "pareto") == "1")
            marked.push_back(i);
    }
    EXPECT_EQ(marked, swept.pareto);
    SweepCsv lost(folder.path() / "no/such/folder/grid.csv", m_grid);
    EXPECT_EQ(lost.failure().value().what, "cannot create: No such file or directory")
        << "known before the first point";
    EXPECT_EQ(lost.finish({}).error().fault, Fault::Outside);
}

TEST_F(SweepOf, TwoTablesThatAreWrittenToOneFileAtOnceAreBothWholeAndTheLastOneStays)
{
    const TemporaryDirectory folder;
    const std::filesystem::path file = folder.path() / "grid.csv";
    const Sweep swept = run("model: [100M]\nmicro_batch: [1, 4]\n");
    SweepCsv first(file, m_grid);
    first.add(swept.points[0]);
    SweepCsv second(file, m_grid); // takes nothing that is still written for a file that was left behind
    second.add(swept.points[0]);
    second.add(swept.points[1]);
    ASSERT_TRUE(first.finish({}));
    EXPECT_EQ(readCsv(file).value().rows.size(), 1U);
    ASSERT_TRUE(second.finish({}));
    EXPECT_EQ(readCsv(file).value().rows.size(), 2U);
}

TEST_F(SweepOf, EveryPointListsAllChoicesOfAPlanVariedOrNot)
{
    const Sweep swept = run("micro_batch: [1, 4]\ngpu: [a100-sxm-80gb]\n");
    const Grid all = withAllChoices(m_grid, swept.base);
    ASSERT_EQ(all.size(), swept.points.size());
    const nlohmann::ordered_json point = toJson(all, swept.points[1]);
    EXPECT_EQ(point["micro_batch"], 4);
    for (const char *key : {"model", "gpu", "gpus", "parallel", "tp", "pp", "cp", "ep", "attention", "recompute",
             "seq_len", "grad_accum", "precision", "framework", "loss_path", "optimizer"})
        EXPECT_FALSE(point[key].is_null()) << key;
    EXPECT_EQ(point["parallel"], enumName(swept.base.parallel.kind));
}

TEST_F(SweepOf, EveryPointSaysWhatItsFrameworkRecomputes)
{
    const Grid grid = gridOf("framework: [pytorch, llama-factory]\ngpus: 1\n").value();
    RunConfig base;
    base.model.name = "100M";
    const Grid all = withAllChoices(grid, base);
    const Sweep found = sweep({.base = base, .grid = all, .catalogue = catalogue()});
    ASSERT_EQ(found.points.size(), 2U);
    EXPECT_EQ(toJson(all, found.points[0]).at("recompute"), "none");
    EXPECT_EQ(toJson(all, found.points[1]).at("recompute"), "full");
    EXPECT_EQ(toJson(all, found.points[1]).at("attention"), "flash");
}

} // namespace
} // namespace slipway
