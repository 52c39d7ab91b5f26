// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>
#include <numeric>

#include "base/csv.h"
#include "base/file.h"
#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

class PlanCommand : public ProgramTest {};

// The fields of docs/guide/json.md, as JSON pointers.
const std::vector<std::string> documentedFields{"/version", "/config", "/model/name", "/model/params",
    "/model/params_active", "/model/params_matmul", "/model/flops_per_token", "/memory/verdict",
    "/memory/capacity_bytes", "/memory/peak_bytes", "/memory/peak_p10_bytes", "/memory/peak_p90_bytes",
    "/memory/peak_allocated_bytes", "/memory/peak_reserved_bytes", "/memory/outside_allocator_bytes",
    "/memory/headroom_bytes", "/memory/max_micro_batch", "/memory/peak_at/step", "/memory/peak_at/phase",
    "/memory/peak_at/op", "/memory/peak_at/layer", "/memory/at_peak/parameters", "/memory/at_peak/masters",
    "/memory/at_peak/gradients", "/memory/at_peak/optimizer", "/memory/at_peak/activations", "/memory/at_peak/logits",
    "/memory/at_peak/communication", "/memory/at_peak/workspace", "/speed/step_s", "/speed/step_p10_s",
    "/speed/step_p90_s", "/speed/tokens_per_s", "/speed/tokens_per_s_per_gpu", "/speed/mfu", "/speed/mfu_causal",
    "/speed/hfu", "/speed/launch_bound", "/speed/seconds/gemm", "/speed/seconds/attention",
    "/speed/seconds/elementwise", "/speed/seconds/loss", "/speed/seconds/optimizer", "/speed/seconds/communication",
    "/speed/seconds/communication_exposed", "/speed/seconds/recompute", "/cost/price_book", "/cost/price_date",
    "/cost/usd_per_hour", "/cost/tokens_per_usd", "/cost/usd_per_billion_tokens", "/cost/tokens", "/cost/hours",
    "/cost/usd", "/cost/expected_loss", "/origin/memory", "/origin/speed", "/origin/notes", "/suggestions",
    "/memory/oom_probability", "/memory/stages", "/parallel/mesh/0/axis", "/parallel/mesh/0/size",
    "/parallel/mesh/0/stride", "/assumed"};

const std::vector<std::string> contractFlags{"model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "tied",
    "gpu", "gpus", "gpus_per_node", "parallel", "tp", "pp", "cp", "ep", "experts", "experts_per_token", "attention",
    "recompute", "micro_batch", "seq_len", "grad_accum", "precision", "framework", "loss_path", "optimizer", "prices",
    "tokens", "memory_gib"};

TEST_F(PlanCommand, RanksAskedForByFlagsAloneHoldACopyEach)
{
    EXPECT_EQ(slipwayJson({"plan", "--json", "--gpus", "8"})["config"]["parallel"], "ddp");
    EXPECT_EQ(slipwayJson({"plan", "--json", "--gpus", "1"})["config"]["parallel"], "none");
    EXPECT_EQ(
        slipwayJson({"plan", "--json", "--gpus", "2", "--tp", "2", "--framework", "megatron"})["config"]["parallel"],
        "none");
    expectRefused(slipway({"plan", "--gpus", "8", "--parallel", "none"}), 2, {"--parallel", "ddp"});
}

TEST_F(PlanCommand, SweepsPointsListEveryChoiceOfTheContract)
{
    const nlohmann::json sweep = slipwayJson({"sweep", "--grid", file("grid.yaml", "micro_batch: [1, 2]\n"), "--json"});
    ASSERT_EQ(sweep["points"].size(), 2U);
    for (const char *key :
        {"model", "gpu", "gpus", "parallel", "attention", "micro_batch", "verdict", "peak_bytes", "tokens_per_s",
            "tokens_per_s_per_gpu", "step_s", "mfu", "tokens_per_usd", "usd_per_billion_tokens", "skipped"})
        EXPECT_TRUE(sweep["points"][0].contains(key)) << key;
    expectRefused(slipway({"sweep", "--grid", file("grid.yaml", "micro_batch: [1, 2]\n"), "--json", "--csv",
                      file("x", "") + "/no/grid.csv"}),
        3, {"grid.csv"});
}

TEST_F(PlanCommand, ASweepsBestPointsAreAllListedOrOnlyThoseOfTheParetoFront)
{
    // The V100 is slower than the A100, and gives less for a dollar than either of the others.
    const std::vector<std::string> sweep{"sweep", "--model", "100M", "--json", "--best-by", "gpu", "--grid",
        file("grid.yaml", "gpu: [a100-sxm-80gb, v100-sxm2-32gb, rtx-4090-24gb]\nmicro_batch: [1, 4]\n")};
    EXPECT_EQ(slipwayJson(sweep)["points"].size(), 3U);
    std::vector<std::string> front = sweep;
    front.emplace_back("--pareto");
    const nlohmann::json points = slipwayJson(front)["points"];
    ASSERT_EQ(points.size(), 2U);
    for (const nlohmann::json &point : points)
        EXPECT_NE(point["gpu"], "v100-sxm2-32gb") << point;
}

TEST_F(PlanCommand, CatalogOfFrameworksHasEveryFieldOfTheContract)
{
    const nlohmann::json frameworks = slipwayJson({"catalog", "frameworks", "--json"})["frameworks"];
    ASSERT_FALSE(frameworks.empty());
    std::size_t versions = 0, changes = 0;
    for (const nlohmann::json &framework : frameworks) {
        for (const nlohmann::json &change : framework.value("torch_changes", nlohmann::json::array())) {
            for (const char *key : {"key", "since", "origin", "source", "date"})
                EXPECT_TRUE(change.contains(key) && change[key].is_string()) << key;
            ++changes;
        }
        for (const char *key : {"id", "title", "versions", "inherits", "fields"})
            EXPECT_TRUE(framework.contains(key)) << framework["id"] << ": " << key;
        for (const nlohmann::json &version : framework["versions"])
            versions += version.is_string() ? 1 : 0;
        for (const nlohmann::json &field : framework["fields"]) {
            for (const char *key : {"key", "value", "origin", "source", "date"})
                EXPECT_TRUE(field.contains(key) && field[key].is_string()) << framework["id"] << ": " << key;
        }
    }
    EXPECT_GT(versions, frameworks.size());
    EXPECT_GT(changes, 15U);
}

TEST_F(PlanCommand, JsonHasEveryFieldOfTheContract)
{
    for (const std::vector<std::string> &arguments : {std::vector<std::string>{"plan", "--json"},
             {"plan", "--json", "--model", "100M", "--gpu", "cpu", "--precision", "fp32"},
             {"plan", "--json", "--model", "1B", "--gpu", "a100-sxm-80gb", "--gpus", "8", "--parallel", "ddp",
                 "--recompute", "full", "--attention", "vanilla"}}) {
        const nlohmann::json json = slipwayJson(arguments);
        for (const std::string &field : documentedFields)
            EXPECT_TRUE(json.contains(nlohmann::json::json_pointer(field))) << field;
        for (const std::string &flag : contractFlags)
            EXPECT_TRUE(json["config"].contains(flag)) << flag;
        EXPECT_EQ(json["version"], 1);
    }
}

TEST_F(PlanCommand, JsonAgreesWithItself)
{
    const nlohmann::json json =
        slipwayJson({"plan", "--json", "--model", "1B", "--gpu", "a100-sxm-80gb", "--gpus", "8", "--parallel", "ddp"});
    const nlohmann::json &memory = json["memory"], &speed = json["speed"], &cost = json["cost"];
    EXPECT_EQ(json["model"]["params"], 970'458'240);
    std::int64_t atPeak = 0;
    for (const auto &[role, bytes] : memory["at_peak"].items()) {
        EXPECT_TRUE(bytes.is_number_integer()) << role;
        atPeak += bytes.get<std::int64_t>();
    }
    const auto allocated = memory["peak_allocated_bytes"].get<std::int64_t>();
    EXPECT_LE(atPeak, allocated);
    EXPECT_LT(static_cast<double>(allocated - atPeak), 0.01 * static_cast<double>(allocated)); // rounding alone
    EXPECT_EQ(memory["peak_bytes"].get<std::int64_t>(),
        memory["peak_reserved_bytes"].get<std::int64_t>() + memory["outside_allocator_bytes"].get<std::int64_t>());
    EXPECT_EQ(memory["headroom_bytes"].get<std::int64_t>(),
        memory["capacity_bytes"].get<std::int64_t>() - memory["peak_bytes"].get<std::int64_t>());
    EXPECT_LE(memory["peak_p10_bytes"], memory["peak_bytes"]);
    EXPECT_GE(memory["peak_p90_bytes"], memory["peak_bytes"]);
    EXPECT_LE(speed["step_p10_s"], speed["step_s"]);
    EXPECT_GE(speed["step_p90_s"], speed["step_s"]);
    EXPECT_NEAR(speed["tokens_per_s"].get<double>(), 8 * speed["tokens_per_s_per_gpu"].get<double>(),
        1e-6 * speed["tokens_per_s"].get<double>());
    EXPECT_NEAR(cost["tokens_per_usd"].get<double>() * cost["usd_per_billion_tokens"].get<double>(), 1e9, 1);
    EXPECT_GT(speed["mfu"], 0);
    EXPECT_LT(speed["mfu"], 1);
}

TEST_F(PlanCommand, AFileAndItsFlagsGiveTheSamePlan)
{
    const std::string yaml =
        file("run.yaml", "model: 500M\ngpu: h100-sxm-80gb\ngpus: 4\nparallel: ddp\nmicro_batch: 4\n");
    const nlohmann::json byFile = slipwayJson({"plan", yaml, "--json"});
    EXPECT_EQ(byFile, slipwayJson({"plan", "--model", "500M", "--gpu", "h100-sxm-80gb", "--gpus", "4", "--parallel",
                          "ddp", "--micro-batch", "4", "--json"}));
    const nlohmann::json changed = slipwayJson({"plan", yaml, "--micro-batch", "2", "--json"});
    EXPECT_EQ(changed["config"]["micro_batch"], 2);
    EXPECT_EQ(changed["config"]["gpus"], 4);
}

TEST_F(PlanCommand, APipelinesScheduleIsSetByEitherFlag)
{
    const std::vector<std::string> mesh{"plan", "--model", "100M", "--gpu", "cpu", "--gpus", "2", "--pp", "2",
        "--parallel", "none", "--precision", "fp32", "--micro-batch", "1", "--seq-len", "128", "--grad-accum", "4",
        "--json"};
    for (const char *flag : {"--schedule", "--pipeline-schedule"}) {
        std::vector<std::string> arguments = mesh;
        arguments.insert(arguments.end(), {flag, "gpipe"});
        EXPECT_EQ(slipwayJson(arguments)["config"]["pipeline_schedule"], "gpipe") << flag;
    }
}

TEST_F(PlanCommand, TiedIsAFlagWithAndWithoutAValue)
{
    const auto params = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"plan", "--json", "--model", "100M"});
        return slipwayJson(arguments)["model"]["params"].get<std::int64_t>();
    };
    EXPECT_LT(params({"--tied"}), params({}));
    EXPECT_EQ(params({"--tied=true"}), params({"--tied"}));
    EXPECT_EQ(params({"--tied=false"}), params({}));
}

TEST_F(PlanCommand, CheckAnswersByExitStatus)
{
    EXPECT_EQ(slipway({"plan", "--model", "100M", "--micro-batch", "1", "--check"}).exitStatus, 0);
    EXPECT_EQ(slipway({"plan", "--model", "2B", "--memory-gib", "8", "--check"}).exitStatus, 1);
    EXPECT_EQ(slipway({"plan", "--model", "2B", "--memory-gib", "8"}).exitStatus, 0); // an answer all the same
}

TEST_F(PlanCommand, TextNamesTheVerdictAndTheOrigin)
{
    const ChildResult result = slipway({"plan"});
    EXPECT_EQ(result.exitStatus, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("tokens/s"), std::string::npos);
    EXPECT_NE(result.out.find("fits"), std::string::npos);
}

TEST_F(PlanCommand, WritesATableAndTheStepPlan)
{
    ASSERT_EQ(slipway({"plan", "--csv", "plan.csv", "--step-plan", "step.txt"}).exitStatus, 0);
    const auto table = readCsv(folder() / "plan.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1U);
    EXPECT_EQ(table->cell(table->rows[0], "verdict"), "fits");
    EXPECT_NE(readFile(folder() / "step.txt").value().find("gemm"), std::string::npos);
}

TEST_F(PlanCommand, AFullDiskIsAFaultOutside)
{
    expectRefused(slipway({"plan", "--csv", "/proc/nowhere/plan.csv", "--json"}), 3, {"/proc/nowhere/plan.csv"});
    const auto result =
        runChild({"sh", "-c", "exec \"$0\" plan --json > /dev/full", SLIPWAY_PROGRAM}, std::chrono::minutes(1));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exitStatus, 3);
    EXPECT_NE(result->err.find("standard output"), std::string::npos);
}

} // namespace
} // namespace slipway::e2e
