// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/config_io.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/hostile_values.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

std::string failure(std::string_view yaml)
{
    const auto config = parseRunConfig(yaml, "run.yaml");
    return config ? "" : config.error().message();
}

TEST(ParseRunConfig, TakesDefaultsForWhatIsNotSaid)
{
    EXPECT_EQ(*parseRunConfig("", "f"), RunConfig{});
    const auto config = parseRunConfig("model: 500M\nmicro_batch: 4\nlearning_rate: 3e-3\ntied: true\n", "f");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->model.name, "500M");
    EXPECT_EQ(config->microBatch, 4);
    EXPECT_EQ(config->training.learningRate, 3e-3);
    EXPECT_EQ(config->model.tied, true);
    EXPECT_EQ(config->seqLen, RunConfig{}.seqLen);
}

TEST(ParseRunConfig, ReadsDataAsOneFileAListOrFilesWithWeights)
{
    using Sources = std::vector<DataSource>;
    EXPECT_EQ(parseRunConfig("data: a,b=2.bin\n", "f")->training.data, (Sources{{"a,b=2.bin", 1.0}}));
    EXPECT_EQ(parseRunConfig("data: [a.bin, b.bin]\n", "f")->training.data, (Sources{{"a.bin", 1.0}, {"b.bin", 1.0}}));
    EXPECT_EQ(parseRunConfig("data:\n  - path: a.bin\n    weight: 0.7\n  - b.bin\n", "f")->training.data,
        (Sources{{"a.bin", 0.7}, {"b.bin", 1.0}}));
    EXPECT_TRUE(parseRunConfig("data:\n", "f")->training.data.empty());
}

TEST(ParseRunConfig, NamesLineAndNearestOfAnUnknownKey)
{
    EXPECT_EQ(failure("model: 1B\n\nmicro_bacth: 4\n"),
        "run.yaml:3: unknown key 'micro_bacth'; did you mean micro_batch? "
        "(accepted: the keys that `slipway plan --help` lists)");
    EXPECT_EQ(failure("micro-batch: 4\n"), "run.yaml:1: unknown key 'micro-batch'; did you mean micro_batch? "
                                           "(accepted: the keys that `slipway plan --help` lists)");
}

TEST(ParseRunConfig, NamesLineKeyAndRangeOfAWrongValue)
{
    EXPECT_EQ(failure("model: 1B\nhidden: -64\n"),
        "run.yaml:2: hidden: '-64' is out of range (accepted: integers from 1 to 131072)");
    EXPECT_EQ(
        failure("gpus: many\n"), "run.yaml:1: gpus: 'many' is not an integer (accepted: integers from 1 to 65536)");
    EXPECT_EQ(failure("attention: fast\n"), "run.yaml:1: attention: unknown value 'fast' (accepted: flash, vanilla)");
    EXPECT_NE(failure("gpus: [1, 2]\n"), "");
    EXPECT_NE(failure("gpus: {a: 1}\n"), "");
    EXPECT_NE(failure("gpus:\n"), "");
    EXPECT_NE(failure("data: [[a]]\n"), "");
    EXPECT_NE(failure("data: [{path: a, weight: heavy}]\n"), "");
    EXPECT_NE(failure("- a\n"), "");
    EXPECT_NE(failure("just text\n"), "");
}

TEST(ParseRunConfig, RefusesAKeyThatStandsTwice)
{
    EXPECT_EQ(failure("gpus: 1\ngpus: 2\n"), "run.yaml:2: 'gpus' appears twice (accepted: each key once)");
}

TEST(ParseRunConfig, SurvivesHostileText)
{
    EXPECT_NE(failure("a: &a [x]\nb: *a\n"), "");
    EXPECT_NE(failure(std::string(1 << 20, '[')), "");
    EXPECT_NE(failure("model: " + std::string(2 << 20, 'x')), "");
    EXPECT_NE(failure(std::string_view("gpus: 1\0\n", 9)), "");
    EXPECT_NE(failure("gpus: \xff\xfe\n"), "");
    EXPECT_NE(failure(std::string(100'000, '-')), "");
    std::uint32_t state = 7;
    for (int round = 0; round < 500; ++round) {
        std::string text = toYaml({});
        for (int i = 0; i < 4; ++i) {
            state = state * 1664525 + 1013904223;
            text[(state >> 8) % text.size()] = static_cast<char>(state >> 24);
        }
        if (const auto config = parseRunConfig(text, "f"); !config) {
            EXPECT_FALSE(config.error().what.empty());
        }
    }
}

TEST(ParseRunConfig, RefusesAMapInPlaceOfANumberWhateverBytesItHolds)
{
    const Result<RunConfig> config = parseRunConfig("layers:\n  a\xf5z: 2\n", "run.yaml");
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().where, "run.yaml:2"); // where the map begins
}

TEST(ParseRunConfig, ReadsEveryTextBackAsItWasWritten)
{
    for (const std::string &value : hostileValues()) {
        RunConfig config;
        config.training.name = config.training.notes = config.training.tokenizer = value;
        config.training.tags = {value, "plain", value};
        config.training.data = {{.path = value, .weight = 2}, {.path = "/" + value}};
        const auto read = parseRunConfig(toYaml(config), "run.yaml");
        ASSERT_TRUE(read) << read.error().message() << "\n" << value;
        EXPECT_EQ(*read, config) << toYaml(config);
        if (!isUtf8(value))
            continue;
        const auto fromJson =
            runConfigFromJson(nlohmann::ordered_json::parse(toJson(config).dump()), "prediction.json");
        ASSERT_TRUE(fromJson) << fromJson.error().message();
        EXPECT_EQ(*fromJson, config);
    }
}

class ReadRunConfig : public ::testing::Test {
protected:
    std::filesystem::path write(const std::string &text)
    {
        writeText(m_folder / "run.yaml", text);
        return m_folder / "run.yaml";
    }
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
};

TEST_F(ReadRunConfig, TakesRelativePathsFromTheFilesFolder)
{
    const auto config = readRunConfig(
        write("data: [sub/a.bin, /abs/b.bin]\neval_data: ../e.bin\ntokenizer: t.model\nmodel: shape.yaml\n"));
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->training.data[0].path, (m_folder / "sub/a.bin").string());
    EXPECT_EQ(config->training.data[1].path, "/abs/b.bin");
    EXPECT_EQ(config->training.evalData[0].path, (m_folder.parent_path() / "e.bin").string());
    EXPECT_EQ(config->training.tokenizer, (m_folder / "t.model").string());
    EXPECT_EQ(config->model.name, (m_folder / "shape.yaml").string());
}

TEST_F(ReadRunConfig, ReadsEvaluationSetsAsTheyAreWritten)
{
    const auto config = readRunConfig(
        write("eval_data: {wiki: a.bin, code: [b.bin, {path: /abs/c.bin, weight: 2}], web: {path: d.bin}}\n"));
    ASSERT_TRUE(config) << config.error().message();
    const std::vector<DataSource> expected{{(m_folder / "a.bin").string(), 1.0, "wiki"},
        {(m_folder / "b.bin").string(), 1.0, "code"}, {"/abs/c.bin", 2.0, "code"},
        {(m_folder / "d.bin").string(), 1.0, "web"}};
    EXPECT_EQ(config->training.evalData, expected);
    ASSERT_TRUE(writeRunConfig(m_folder / "written.yaml", *config));
    EXPECT_EQ(readRunConfig(m_folder / "written.yaml")->training.evalData, expected);
    EXPECT_EQ(runConfigFromJson(toJson(*config), "here")->training.evalData, expected);
}

TEST_F(ReadRunConfig, TakesAModelsFolderFromTheFilesFolderWhereItIsThere)
{
    std::filesystem::create_directories(m_folder / "models/own");
    EXPECT_EQ(readRunConfig(write("model: models/own\n"))->model.name, "models/own");
    writeText(m_folder / "models/own/config.json", "{}");
    EXPECT_EQ(readRunConfig(write("model: models/own\n"))->model.name, (m_folder / "models/own").string());
}

TEST_F(ReadRunConfig, LeavesAModelsNameAlone)
{
    EXPECT_EQ(readRunConfig(write("model: meta-llama/Llama-3.2-1B\n"))->model.name, "meta-llama/Llama-3.2-1B");
}

TEST_F(ReadRunConfig, ReadsWhatWasWritten)
{
    RunConfig config;
    config.training.data = {{"/d/a b.bin", 0.5}};
    config.training.notes = "line one\nline: two # not a comment";
    config.parallel.kind = ParallelKind::FsdpGradOp;
    config.tokens = 20'000'000'000;
    ASSERT_TRUE(writeRunConfig(m_folder / "run.yaml", config));
    EXPECT_EQ(*readRunConfig(m_folder / "run.yaml"), config);
}

TEST_F(ReadRunConfig, LetsALaterErrorFindItsLine)
{
    const std::filesystem::path file = write("model: 1B\n\nhidden: 1000\n");
    EXPECT_EQ(withFileLocation({.what = "does not divide", .where = "--hidden"}, file).message(),
        file.string() + ":3: hidden: does not divide");
    EXPECT_EQ(withFileLocation({.what = "x", .where = "--heads"}, file).where, "--heads");
    EXPECT_EQ(withFileLocation({.what = "x", .where = "elsewhere"}, file).where, "elsewhere");
    EXPECT_EQ(withFileLocation({.what = "x", .where = "--hidden"}, m_folder / "none").where, "--hidden");
}

TEST_F(ReadRunConfig, SaysThatAFileIsMissingOrAFolder)
{
    EXPECT_EQ(readRunConfig(m_folder / "none.yaml").error().where, (m_folder / "none.yaml").string());
    EXPECT_FALSE(readRunConfig(m_folder));
    EXPECT_FALSE(readRunConfig("/dev/zero"));
}

TEST(ToJson, ShowsEveryKeyWithNullForWhatIsNotSet)
{
    const auto json = toJson(RunConfig{});
    EXPECT_EQ(json["model"], "1B");
    EXPECT_EQ(json["micro_batch"], 8);
    EXPECT_TRUE(json["layers"].is_null());
    EXPECT_TRUE(json["data"].is_array());
    EXPECT_EQ(json["parallel"], "none");
}

} // namespace
} // namespace slipway
