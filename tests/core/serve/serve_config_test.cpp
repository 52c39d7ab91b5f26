// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "serve/serving_software.h"

namespace slipway {
namespace {

TEST(ServeConfig, ReadsItsOwnKeysAndThoseThatItSharesWithRuns)
{
    const ServeConfig config =
        parseServeConfig("tp: 2\nlayers: 5\nmodel: 1B\nweights: int4\nkv: fp8\nprompt: 100\ncontiguous: true\n", "s")
            .value();
    EXPECT_EQ(config.run.parallel.tp, 2);
    EXPECT_EQ(config.run.model.name, "1B");
    EXPECT_EQ(config.run.model.layers, 5);
    EXPECT_EQ(config.weights, StoredType::Int4);
    EXPECT_EQ(config.kv, StoredType::Fp8);
    EXPECT_EQ(config.length(), 100 + 256);
    EXPECT_TRUE(config.contiguous);
}

TEST(ServeConfig, SwitchesAreTheSettingsThatAreTrueOrFalseAndNothingElse)
{
    for (const ServeSetting &setting : serveSettings()) {
        ServeConfig config;
        const bool isEither =
            setting.set(config, "true") && setting.set(config, "false") && !setting.set(config, "1000");
        EXPECT_EQ(setting.isSwitch, isEither) << setting.key;
    }
}

TEST(ServeConfig, JsonHasEveryKeyAndReadsBackAsTheSame)
{
    ServeConfig config;
    for (const auto &[key, text] : std::vector<std::pair<std::string, std::string>>{{"block", "32"}, {"weights", "fp8"},
             {"requests-per-s", "2.5"}, {"--max-length", "4096"}, {"tpot", "0.02"}, {"seed", "7"}})
        ASSERT_TRUE(setServeSetting(config, key, text)) << key;
    const nlohmann::ordered_json json = toJson(config);
    EXPECT_EQ(json["block"], 32);
    EXPECT_EQ(json["requests_per_s"], 2.5);
    EXPECT_TRUE(json["ttft"].is_null());
    ServeConfig again;
    for (const auto &[key, value] : json.items()) {
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        EXPECT_TRUE(value.is_null() || setServeSetting(again, key, text)) << key;
    }
    EXPECT_EQ(again, config);
}

TEST(ServeConfig, ErrorsNameTheFlagAndWhatWouldBeAccepted)
{
    ServeConfig config;
    const auto message = [&](const char *key, const char *text) {
        const Result<void> set = setServeSetting(config, key, text);
        return set ? std::string() : set.error().message();
    };
    EXPECT_EQ(message("block", "0"), "--block: '0' is out of range (accepted: 1 to 65536)");
    EXPECT_EQ(message("batch", "many"), "--batch: 'many' is not an integer (accepted: 1 to 1048576)");
    EXPECT_EQ(message("kv", "int4"), "--kv: 'int4' is not one of the types (accepted: bf16, fp8, fp32)");
    EXPECT_EQ(message("requests_per_s", "0"), "--requests-per-s: '0' is out of range (accepted: above 0, to 1e+06)");
    EXPECT_NE(message("prmpt", "5").find("did you mean prompt"), std::string::npos);
    EXPECT_NE(message("tp", "0").find("--tp"), std::string::npos);
    EXPECT_EQ(config, ServeConfig());
}

TEST(ServeConfig, ErrorsInAFileNameItsLine)
{
    const auto message = [](const char *yaml) { return parseServeConfig(yaml, "serve.yaml").error().message(); };
    EXPECT_EQ(message("prompt: 5\nblock: 0\n"), "serve.yaml:2: block: '0' is out of range (accepted: 1 to 65536)");
    EXPECT_NE(message("grad_accum: 2\n").find("serve.yaml:1"), std::string::npos);
    EXPECT_NE(message("batch: [1, 2]\n").find("is not a single value"), std::string::npos);
    EXPECT_NE(message("- 1\n").find("is not a configuration"), std::string::npos);
}

TEST(ServingSoftware, EveryShippedProfileIsUnderstood)
{
    const Frameworks frameworks = loadServingFrameworks().value();
    const Result<void> checked = checkServingFrameworks(frameworks);
    EXPECT_TRUE(checked) << (checked ? "" : checked.error().message());
    for (const char *name :
        {"vllm", "tensorrt-llm", "llama.cpp", "transformers", "autoawq", "autoawq-gemv", "gpt-fast", "slipway"}) {
        const Result<ServingSoftware> software = servingSoftware(name, "hopper", frameworks);
        ASSERT_TRUE(software) << name;
        for (const AppliedField &field : software->fields)
            EXPECT_FALSE(field.reference.empty()) << name << " " << field.key;
    }
    EXPECT_EQ(servingSoftware("vllm", "hopper", frameworks)->block, 16);
    EXPECT_EQ(servingSoftware("trt-llm", "hopper", frameworks)->block, 32);
    EXPECT_NE(servingSoftware("vllm", "hopper", frameworks)->cacheLatency,
        servingSoftware("vllm", "ampere", frameworks)->cacheLatency);
    EXPECT_EQ(servingSoftware("transformers", "ampere", frameworks)->normKernels, 8);
    EXPECT_FALSE(servingSoftware("transformers", "ampere", frameworks)->fusesProjections);
    const Result<ServingSoftware> unknown = servingSoftware("vlm", "hopper", frameworks);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().where, "--framework");
}

} // namespace
} // namespace slipway
