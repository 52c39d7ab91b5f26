// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Hostile names, notes, tags and logs as a person meets them: on a terminal, in JSON, in the name of a folder.
#include "support/hostile_values.h"

#include <algorithm>

#include "base/file.h"
#include "config/config_io.h"
#include "e2e/programs.h"
#include "runs/run_directory.h"

namespace slipway::e2e {
namespace {

class HostileText : public ProgramTest {
protected:
    HostileText() { file("tokens.bin", "tokens"); }
    // An ended run with this text wherever one may stand.
    std::filesystem::path addRun(const std::string &text)
    {
        const std::filesystem::path directory = folder() / "data/slipway/runs" / ("run" + std::to_string(m_runs++));
        std::filesystem::create_directories(directory);
        EXPECT_TRUE(writeRunConfig(directory / "run.yaml", config(text)));
        writeText(directory / "metrics.jsonl", "{\"v\":1,\"step\":1,\"tokens\":10,\"time\":\"2026-01-02T00:00:01."
                                               "000Z\",\"step_s\":1,\"tokens_per_s\":10,\"loss\":4.5}\n");
        writeText(directory / "events.jsonl",
            toJsonLine(RunEvent{.time = "2026-01-02T00:00:00.000Z", .kind = "fault", .message = text}) + "\n");
        writeText(directory / "err.log", "line one\n" + text + "\n");
        writeText(directory / "rc", "5\n");
        return directory;
    }
    static RunConfig config(const std::string &text)
    {
        RunConfig config;
        config.model.name = "100M";
        config.gpu = "cpu";
        config.precision = Precision::Fp32;
        config.training.device = DeviceKind::Cpu;
        config.training.data = {{.path = (std::filesystem::current_path() / "tokens.bin").string()}};
        config.training.steps = 5;
        config.training.name = config.training.notes = text;
        config.training.tags = {text};
        return config;
    }
    // Nothing in it that a terminal would obey.
    static void expectPlain(const std::string &said)
    {
        EXPECT_TRUE(std::none_of(said.begin(), said.end(), [](unsigned char c) {
            return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        })) << said;
        EXPECT_EQ(said.find("\u009b"), std::string::npos);
    }
    int m_runs = 0;
};

TEST_F(HostileText, OfARunAndItsLogReachesATerminalWithoutItsOrders)
{
    for (const char *text : {"\x1b[2J\x1b]0;pwned\x07", "\u009b31m", "a\rb", "\x7f\x01"})
        addRun(text);
    for (int i = 0; i < m_runs; ++i) {
        const std::string name = "run" + std::to_string(i);
        for (const auto &[arguments, status] : {std::pair(std::vector<std::string>{"watch", name}, 1),
                 std::pair(std::vector<std::string>{"report", name}, 0),
                 std::pair(std::vector<std::string>{"label", name}, 0),
                 std::pair(std::vector<std::string>{"compare", name, "run" + std::to_string((i + 1) % m_runs)}, 0)}) {
            const ChildResult result = slipway(arguments);
            EXPECT_EQ(result.exitStatus, status) << arguments[0] << ": " << result.err;
            expectPlain(result.out);
            expectPlain(result.err);
        }
    }
    const ChildResult watched = slipway({"watch", "run0"});
    EXPECT_NE(watched.out.find("\\u001b[2J"), std::string::npos) << watched.out; // shown, not hidden
    const ChildResult listed = slipway({"runs"});
    EXPECT_EQ(std::count(listed.out.begin(), listed.out.end(), '\n'), 1 + m_runs) << listed.out;
    expectPlain(listed.out);
    expectPlain(slipway({"watch", "\x1b[31mno such run"}).err);
}

TEST_F(HostileText, OfAModelThatTheTrainerRefusesReachesATerminalWithoutItsOrders)
{
    std::filesystem::create_directories(folder() / "model");
    writeText(folder() / "model/config.json", R"({"model_type": "\u001b[2J\u009b31m\u202e"})");
    const auto refused = runChild(
        {SLIPWAY_TRAIN_PROGRAM, "import-hf", (folder() / "model").string(), "--out", (folder() / "run").string()},
        std::chrono::minutes(1));
    ASSERT_TRUE(refused) << refused.error().message();
    EXPECT_EQ(refused->exitStatus, 2);
    expectPlain(refused->err);
    EXPECT_NE(refused->err.find("'\\u001b[2J\\u009b31m\\u202e'"), std::string::npos) << refused->err;
}

TEST_F(HostileText, IsOneDocumentInJson)
{
    for (const std::string &value : hostileValues())
        addRun(value);
    EXPECT_EQ(slipwayJson({"runs", "--json"})["runs"].size(), hostileValues().size());
    const ChildResult table = slipway({"runs"});
    EXPECT_EQ(
        static_cast<std::size_t>(std::count(table.out.begin(), table.out.end(), '\n')), hostileValues().size() + 1);
    for (const std::string &value : {std::string("\xff\xfe"), std::string("a\nb\"'<b>"), std::string(10'000, '\'')}) {
        writeText(folder() / "hostile.yaml", toYaml(config(value)));
        EXPECT_EQ(slipwayJson({"plan", "hostile.yaml", "--json"})["version"], 1);
        const nlohmann::json dry = slipwayJson({"launch", "hostile.yaml", "--on", "slurm:", "--dry-run", "--json"});
        EXPECT_TRUE(dry["commands"].is_array());
        ASSERT_EQ(slipway({"export", "hostile.yaml", "--to", "slurm"}).exitStatus, 0);
        ASSERT_EQ(slipway({"label", "run0", "--notes", value}).exitStatus, 0);
    }
}

TEST_F(HostileText, InARunsNameIsShownByADryRunAsTheFolderThatALaunchMakes)
{
    writeText(folder() / "hostile.yaml", toYaml(config("../x $(touch pwned)'\n/y")));
    const nlohmann::json dry = slipwayJson({"launch", "hostile.yaml", "--dry-run", "--json"});
    const std::string planned = dry["command"][2];
    EXPECT_EQ(planned, (folder() / "data/slipway/runs/x---touch-pwned----y").string());
    EXPECT_FALSE(std::filesystem::exists(folder() / "data"));
}

TEST_F(HostileText, InAFileOrAFlagIsRefusedInPlainWords)
{
    expectRefused(slipway({"launch", "."}), 2, {".: "});
    file("nul.yaml", "model: 100M\nname: \"a\\0b\"\n");
    expectRefused(slipway({"launch", "nul.yaml"}), 2, {"nul.yaml:2", "NUL byte"});
    file("binary.yaml", std::string("model: 100M\nname: \0", 19));
    file("picture.png", "\x89PNG" + std::string(2 << 20, '\0'));
    for (const std::vector<std::string> &command :
        {std::vector<std::string>{"plan"}, {"launch"}, {"export", "--to", "slurm"}, {"report"}, {"sweep", "--grid"}}) {
        const auto given = [&](const char *name) {
            auto argv = command;
            argv.emplace_back(name);
            return slipway(argv);
        };
        expectRefused(given("picture.png"), 2, {"picture.png:1", "is a picture", "a text file in YAML"});
        expectRefused(given("binary.yaml"), 2, {"binary.yaml:2", "NUL byte", "a text file in YAML"});
        if (command.front() != "report") // whose folder is a run
            expectRefused(given("."), 2, {".: is a folder", "a text file in YAML"});
    }
    for (const std::string &value :
        {std::string("-oProxyCommand=id"), std::string("a b"), std::string("$(id)"), std::string("\x1b[31m")}) {
        file("run.yaml", toYaml(config("x")));
        const ChildResult result = slipway({"launch", "run.yaml", "--on=" + value});
        expectRefused(result, 2, {"is not a valid host name"});
        expectPlain(result.err);
    }
}

} // namespace
} // namespace slipway::e2e
