// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/settings.h"

#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "config/choice_names.h"
#include "config/config_io.h"

namespace slipway {
namespace {

// Names of types, which readers know.
bool isType(std::string_view value) { return value == "bf16" || value == "fp32" || value == "int8"; }

TEST(ChoiceNames, EveryChoiceOfASettingHasANameForReaders)
{
    for (const Setting &setting : settings()) {
        if (setting.type != SettingType::Choice || setting.key == "framework")
            continue;
        for (const std::string &value : setting.choices()) {
            if (!isType(value)) {
                EXPECT_NE(choiceName(setting.key, value), value) << setting.key;
            }
        }
    }
    EXPECT_EQ(choiceName("lora_targets", "linear"), "All matrices");
    EXPECT_EQ(choiceName("schedule", "linear"), "Linear") << "the same value can mean two things";
    EXPECT_EQ(choiceName("model", "1B"), "1B");
}

// A value of each setting that is valid and not its default.
std::string otherValue(const Setting &setting)
{
    const std::string present = settingText(setting, RunConfig{});
    switch (setting.type) {
    case SettingType::Bool:
        return present == "true" ? "false" : "true";
    case SettingType::Choice:
        return setting.choices().back() == present ? setting.choices().front() : setting.choices().back();
    case SettingType::Text:
        return "some: #text, with \"marks\" and\nlines";
    case SettingType::Texts:
        return "one,t\\,w\\\\o,#3";
    case SettingType::Sources:
        return "a\\,b.bin=0.25,c=1=1,d.bin";
    case SettingType::Duration:
        return "5400";
    case SettingType::Number:
        return present == "0.5" ? "0.25" : "0.5";
    case SettingType::Integer:
    case SettingType::Count:
        return present == "7" ? "6" : "7";
    }
    return {};
}

TEST(Settings, HaveUniqueKeysAHelpAndFlagsOfTheirKeys)
{
    std::set<std::string_view> keys;
    for (const Setting &setting : settings()) {
        EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
        EXPECT_FALSE(setting.help.empty()) << setting.key;
        EXPECT_FALSE(setting.valueName.empty()) << setting.key;
        EXPECT_EQ(findSetting(setting.flag()), &setting);
        EXPECT_EQ(findSetting(setting.key), &setting);
    }
    EXPECT_EQ(findSetting("micro-batch")->flag(), "--micro-batch");
}

TEST(Settings, AreEveryKeyOfTheContract)
{
    for (const char *key : {"model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "tied", "gpu", "gpus",
             "gpus_per_node", "parallel", "tp", "pp", "cp", "ep", "experts", "experts_per_token", "attention",
             "recompute", "micro_batch", "seq_len", "grad_accum", "precision", "framework", "loss_path", "optimizer",
             "prices", "tokens", "memory_gib", "data", "eval_data", "tokenizer", "steps", "learning_rate",
             "min_learning_rate", "warmup_steps", "schedule", "weight_decay", "beta1", "beta2", "grad_clip", "seed",
             "eval_every", "checkpoint_every", "keep_checkpoints", "device", "communicator", "name", "tags", "notes",
             "usd_limit", "stop_at_usd", "time_limit", "stop_on_nan", "decay_steps", "z_loss", "ema", "balance_loss",
             "embedding_learning_rate", "head_learning_rate", "no_decay", "muon_momentum", "command", "environment",
             "workdir", "log", "log_pattern"})
        EXPECT_NE(findSetting(key), nullptr) << key;
}

TEST(Settings, ReachAFieldOfTheirOwn)
{
    for (const Setting &setting : settings()) {
        const auto changed = applySetting({}, setting.key, otherValue(setting));
        ASSERT_TRUE(changed) << setting.key << ": " << changed.error().message();
        const auto changes = differences({}, *changed);
        ASSERT_EQ(changes.size(), 1u) << setting.key;
        EXPECT_EQ(changes[0].key, setting.key);
        EXPECT_EQ(changes[0].after, settingText(setting, *changed));
        EXPECT_FALSE(isDefault(setting, *changed));
        EXPECT_TRUE(isDefault(setting, {}));
    }
}

// The address of a field, whatever its type.
const void *addressOf(const FieldRef &field)
{
    struct Address {
        const void *operator()(const EnumRef &ref) const { return ref.value; }
        const void *operator()(const FrameworkRef &ref) const { return ref.engine; }
        const void *operator()(const void *value) const { return value; }
    };
    return std::visit(Address{}, field);
}

TEST(Settings, AreForRunsAloneIfTheyAreOfTheTraining)
{
    RunConfig config;
    const std::less<> isBefore; // ordered for all pointers
    const void *const begin = &config.training, *const end = &config.training + 1;
    for (const Setting &setting : settings()) {
        const void *const at = addressOf(setting.field(config));
        EXPECT_EQ(setting.runOnly, !isBefore(at, begin) && isBefore(at, end)) << setting.key;
    }
}

TEST(Settings, HaveDefaultsThatReadBackAndLieInRange)
{
    for (const Setting &setting : settings()) {
        const auto same = applySetting({}, setting.key, settingText(setting, {}));
        ASSERT_TRUE(same) << setting.key << ": " << same.error().message();
        EXPECT_EQ(*same, RunConfig{}) << setting.key;
    }
}

TEST(Settings, OfAModelDropTheSizesThatWereChangedAboutAnotherOne)
{
    const Result<RunConfig> changed = applySettings({}, SettingTexts{{"layers", "4"}, {"model", "2B"}});
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->model, (ModelChoice{.name = "2B", .layers = 4})); // one change, in whatever order
    const Result<RunConfig> other = applySetting(*changed, "model", "1B");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->model, ModelChoice{.name = "1B"});
    const Result<RunConfig> sized = applySetting(*changed, "--vocab", "100");
    ASSERT_TRUE(sized);
    EXPECT_EQ(sized->model, (ModelChoice{.name = "2B", .layers = 4, .vocab = 100}));
}

TEST(Settings, RoundTripThroughFlagsYamlAndJson)
{
    RunConfig all;
    for (const Setting &setting : settings()) {
        const auto one = applySetting({}, setting.flag(), otherValue(setting));
        ASSERT_TRUE(one) << setting.key;
        EXPECT_EQ(*applySetting({}, setting.flag(), settingText(setting, *one)), *one) << setting.key;
        const auto fromYaml = parseRunConfig(toYaml(*one), "run.yaml");
        ASSERT_TRUE(fromYaml) << setting.key << ": " << fromYaml.error().message() << "\n" << toYaml(*one);
        EXPECT_EQ(*fromYaml, *one) << setting.key;
        const auto fromJson = runConfigFromJson(nlohmann::ordered_json::parse(toJson(*one).dump()));
        ASSERT_TRUE(fromJson) << setting.key << ": " << fromJson.error().message();
        EXPECT_EQ(*fromJson, *one) << setting.key;
        ASSERT_TRUE(setSettingText(setting, all, otherValue(setting)));
    }
    EXPECT_EQ(*parseRunConfig(toYaml(all), "run.yaml"), all);
    EXPECT_EQ(*runConfigFromJson(toJson(all)), all);
    EXPECT_EQ(differences({}, all).size(), settings().size());
}

TEST(Settings, KeepAllBitsOfLargeIntegersAndDoubles)
{
    RunConfig config;
    config.tokens = 999'999'999'999'999'999;
    config.training.seed = 18'446'744'073'709'551'615u;
    config.training.learningRate = 0.1 + 0.2;
    EXPECT_EQ(*parseRunConfig(toYaml(config), "f"), config);
    EXPECT_EQ(*runConfigFromJson(nlohmann::ordered_json::parse(toJson(config).dump())), config);
}

TEST(Settings, RefuseValuesOutOfRangeAndSayTheRange)
{
    for (const Setting &setting : settings()) {
        if (setting.type != SettingType::Integer && setting.type != SettingType::Count &&
            setting.type != SettingType::Number)
            continue;
        for (const char *text :
            {"-1", "1e300", "-999999999999999999999", "nan", "inf", "x", " 1", "1 2", "0x10", "--1", "1,5"}) {
            const auto applied = applySetting({}, setting.key, text);
            ASSERT_FALSE(applied) << setting.key << " " << text;
            EXPECT_EQ(applied.error().where, setting.flag());
            EXPECT_FALSE(applied.error().accepted.empty());
        }
    }
    EXPECT_EQ(applySetting({}, "micro_batch", "0").error().message(),
        "--micro-batch: '0' is out of range (accepted: integers from 1 to 65536)");
    EXPECT_FALSE(applySetting({}, "micro_batch", "1.5"));
    EXPECT_FALSE(applySetting({}, "micro_batch", ""));
}

TEST(Settings, ReadCountsAndDurationsAsPeopleWriteThem)
{
    EXPECT_EQ(applySetting({}, "tokens", "20B")->tokens, 20'000'000'000);
    EXPECT_EQ(applySetting({}, "tokens", "1.5M")->tokens, 1'500'000);
    EXPECT_EQ(applySetting({}, "tokens", "")->tokens, std::nullopt);
    EXPECT_FALSE(applySetting({}, "tokens", "1.5"));
    EXPECT_EQ(applySetting({}, "time_limit", "12h")->training.timeLimit, 43200.0);
    EXPECT_EQ(applySetting({}, "time_limit", "90")->training.timeLimit, 90.0);
    EXPECT_EQ(applySetting({}, "time_limit", "1.5d")->training.timeLimit, 129600.0);
    EXPECT_FALSE(applySetting({}, "time_limit", "soon"));
    EXPECT_FALSE(applySetting({}, "time_limit", "h"));
    EXPECT_FALSE(applySetting({}, "time_limit", "0"));
}

TEST(Settings, ReadChoicesInAnyCaseAndListThem)
{
    EXPECT_EQ(applySetting({}, "parallel", "FSDP_FULL")->parallel.kind, ParallelKind::FsdpFull);
    const auto wrong = applySetting({}, "--parallel", "fdsp");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message(),
        "--parallel: unknown value 'fdsp' (accepted: none, ddp, fsdp-full, fsdp-grad-op, hsdp, zero1)");
    EXPECT_EQ(applySetting({}, "tied", "Yes")->model.tied, true);
    EXPECT_FALSE(applySetting({}, "tied", "maybe"));
}

TEST(Settings, KeepAnOpenChoiceApartFromItsUsualValue)
{
    const Setting &recompute = *findSetting("recompute");
    EXPECT_TRUE(recompute.optional());
    EXPECT_FALSE(findSetting("micro_batch")->optional());
    EXPECT_EQ(settingText(recompute, {}), "");
    EXPECT_TRUE(settingJson(recompute, {}).is_null());
    EXPECT_EQ(toYaml({}).find("recompute:"), std::string::npos);

    const RunConfig none = applySetting({}, "recompute", "none").value();
    EXPECT_EQ(none.recompute, Recompute::None);
    EXPECT_FALSE(isDefault(recompute, none));
    EXPECT_EQ(parseRunConfig(toYaml(none), "run.yaml").value(), none);
    EXPECT_EQ(runConfigFromJson(toJson(none), "config").value(), none);
    EXPECT_EQ(applySetting(none, "recompute", "").value(), RunConfig());
}

TEST(Settings, TakeTheNameOfAPipelinesScheduleForThatWhereverAScheduleIsSet)
{
    const RunConfig config =
        applySettings({}, SettingTexts{{"--schedule", "zero-bubble"}, {"schedule", "linear"}}).value();
    EXPECT_EQ(config.parallel.schedule, PipelineSchedule::ZeroBubble);
    EXPECT_EQ(config.training.schedule, LrSchedule::Linear);
    EXPECT_EQ(findSetting("pipeline_schedule")->flags(false), "--pipeline-schedule,--schedule");
    EXPECT_EQ(findSetting("pipeline_schedule")->flags(true), "--pipeline-schedule") << "a run has the other one, too";
}

TEST(Settings, ReadSourcesWithWeights)
{
    const auto config = applySetting({}, "data", "a.bin=0.7,b.bin");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->training.data, (std::vector<DataSource>{{"a.bin", 0.7}, {"b.bin", 1.0}}));
    for (const char *text : {",", "a,,b", "a=-1", "a=0", "=2"})
        EXPECT_FALSE(applySetting({}, "data", text)) << text;
}

TEST(Settings, ReadEvaluationSetsByName)
{
    const auto config = applySetting({}, "eval_data", "wiki::a.bin=0.7,b.bin,./c::d.bin,::e::f.bin");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->training.evalData, (std::vector<DataSource>{{"a.bin", 0.7, "wiki"}, {"b.bin", 1.0, ""},
                                             {"./c::d.bin", 1.0, ""}, {"e::f.bin", 1.0, ""}}));
    EXPECT_EQ(settingText(*findSetting("eval_data"), *config), "wiki::a.bin=0.7,b.bin,./c::d.bin,::e::f.bin");
    for (const char *text : {"wiki::", "wiki::=2"})
        EXPECT_FALSE(applySetting({}, "eval_data", text)) << text;
}

TEST(Settings, NameTheNearestOfAnUnknownKey)
{
    const auto applied = applySetting({}, "--micro-bacth", "4");
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().message(),
        "unknown key 'micro_bacth'; did you mean micro_batch? (accepted: the keys that `slipway plan --help` lists)");
}

TEST(Settings, RefuseJsonOfAnotherType)
{
    for (const char *json : {R"({"micro_batch": {}})", R"({"micro_batch": [1]})", R"({"micro_batch": null})",
             R"({"data": [1]})", R"({"data": [{"file": "x"}]})", R"({"data": [{"path": "x", "weight": "1"}]})",
             R"({"eval_data": {"a b": "x"}})", R"({"eval_data": {"a": {"b": "x"}}})", R"({"eval_data": {"a": 1}})",
             R"({"eval_data": {"a": {"path": "x", "name": "b"}}})", R"({"tags": [""]})", R"({"parallel": 3})",
             R"({"nothing": 3})", R"([])", R"("x")"})
        EXPECT_FALSE(runConfigFromJson(nlohmann::ordered_json::parse(json))) << json;
}

} // namespace
} // namespace slipway
