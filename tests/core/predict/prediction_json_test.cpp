// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/resolve_model.h"
#include "one_billion.h"

namespace slipway {
namespace {

using testing::oneBillion;
using testing::predicted;

TEST(PredictionJson, hasEveryFieldOfTheContract)
{
    RunConfig config = oneBillion();
    config.microBatch = 4; // leaves room for a suggestion
    const nlohmann::ordered_json json = toJson(predicted(config));
    const std::vector<std::pair<std::string, std::vector<std::string>>> fields{
        {"", {"version", "config", "model", "memory", "speed", "cost", "origin", "suggestions", "parallel", "assumed"}},
        {"/model", {"name", "params", "params_active", "params_matmul", "flops_per_token"}},
        {"/memory", {"verdict", "oom_probability", "capacity_bytes", "peak_bytes", "peak_p10_bytes", "peak_p90_bytes",
                        "peak_allocated_bytes", "peak_reserved_bytes", "outside_allocator_bytes", "headroom_bytes",
                        "max_micro_batch", "peak_at", "at_peak", "host_bytes", "host"}},
        {"/memory/peak_at", {"step", "phase", "op", "layer", "stage"}},
        {"/memory/stages/0", {"stage", "peak_bytes", "allocated_bytes", "reserved_bytes"}},
        {"/memory/at_peak",
            {"parameters", "masters", "gradients", "optimizer", "activations", "logits", "communication", "workspace"}},
        {"/speed", {"step_s", "step_p10_s", "step_p90_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "mfu_causal",
                       "hfu", "launch_bound", "cuda_graph", "seconds"}},
        {"/speed/seconds", {"gemm", "attention", "elementwise", "loss", "optimizer", "communication",
                               "communication_exposed", "recompute"}},
        {"/cost", {"price_book", "price_date", "usd_per_hour", "tokens_per_usd", "usd_per_billion_tokens", "tokens",
                      "hours", "usd", "expected_loss"}},
        {"/origin", {"memory", "speed", "notes"}},
    };
    for (const auto &[path, keys] : fields) {
        for (const std::string &key : keys)
            EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer(path + "/" + key))) << path << "/" << key;
    }
    EXPECT_EQ(json["version"], 1);
    EXPECT_TRUE(json["memory"]["peak_bytes"].is_number_integer());
}

TEST(PredictionJson, hasTheMeshWithSizeAndStrideOfEachAxis)
{
    RunConfig config = oneBillion();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 48, .tp = 2, .pp = 4, .cp = 3};
    config.gradAccum = 4;
    const nlohmann::ordered_json mesh = toJson(Prediction{.config = config})["parallel"]["mesh"];
    EXPECT_EQ(mesh.dump(), R"([{"axis":"pp","size":4,"stride":12},{"axis":"dp","size":2,"stride":6},)"
                           R"({"axis":"cp","size":3,"stride":2},{"axis":"tp","size":2,"stride":1}])");
    config.parallel.ep = 2;
    EXPECT_EQ(
        toJson(Prediction{.config = config})["parallel"]["mesh"].back().dump(), R"({"axis":"ep","size":2,"stride":2})");
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 32, .gpusPerNode = 8, .tp = 2};
    EXPECT_EQ(toJson(Prediction{.config = config})["parallel"]["mesh"][1].dump(),
        R"({"axis":"dp","size":16,"stride":2,"replicate":4,"shard":4})");
}

TEST(PredictionJson, listsWhatTheProfileOfTheFrameworkSets)
{
    RunConfig config = oneBillion();
    config.software = "hf-trainer@4.46";
    const Prediction p = predicted(config);
    const nlohmann::ordered_json json = toJson(p);
    ASSERT_FALSE(json["assumed"].empty());
    for (const nlohmann::ordered_json &field : json["assumed"]) {
        EXPECT_FALSE(field["field"].get<std::string>().empty());
        EXPECT_TRUE(field["value"].is_string());
        EXPECT_TRUE(enumFromName<FieldOrigin>(field["origin"].get<std::string>())) << field;
    }
    EXPECT_EQ(predictionFromJson(nlohmann::json::parse(json.dump())).value().assumed, p.assumed);
    EXPECT_TRUE(toJson(predicted(oneBillion()))["assumed"].empty());
}

TEST(PredictionJson, readsBackWhatItWrote)
{
    RunConfig config = oneBillion();
    config.targetLoss = 2.4;
    const Prediction p = predicted(config);
    const Prediction back = predictionFromJson(nlohmann::json::parse(toJson(p).dump())).value();
    RunConfig filled = withSizesOf(p.config, p.model); // what the user's configuration comes to
    filled.prices = p.cost.priceBook;
    filled.tokens = p.cost.tokens;
    EXPECT_EQ(back.config, filled);
    EXPECT_EQ(predicted(back.config).cost, p.cost);
    EXPECT_EQ(predicted(back.config).memory, p.memory);
    EXPECT_EQ(back.memory, p.memory);
    EXPECT_EQ(back.speed, p.speed);
    EXPECT_EQ(back.cost, p.cost);
}

TEST(PredictionJson, takesWhatIsThereOfADamagedFile)
{
    const auto json = nlohmann::json::parse(
        R"({"memory": {"peak_bytes": "many", "capacity_bytes": 7}, "speed": [], "origin": {"notes": [1, "a"]}})");
    const Prediction p = predictionFromJson(json).value();
    EXPECT_EQ(p.memory.capacity, 7);
    EXPECT_EQ(p.memory.peak, 0);
    EXPECT_EQ(p.notes, std::vector<std::string>{"a"});
    EXPECT_FALSE(predictionFromJson(nlohmann::json::parse("[1]")));
}

TEST(PredictionJson, readsTheTextThatItWrote)
{
    const Prediction p = predicted(oneBillion());
    const Result<Prediction> back = parsePrediction(toJson(p).dump());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->memory, p.memory);
    EXPECT_FALSE(parsePrediction(std::string(17 << 20, ' '))) << "more than 16 MiB";
}

} // namespace
} // namespace slipway
