// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

class BadInput : public ProgramTest {};

TEST_F(BadInput, AWrongFlagNamesTheNearestOne)
{
    expectRefused(slipway({"plan", "--micro-bacth", "4"}), 2, {"--micro-bacth", "did you mean --micro-batch?"});
}
TEST_F(BadInput, AWrongCommandNamesTheNearestOne)
{
    expectRefused(slipway({"paln"}), 2, {"paln", "did you mean plan?"});
}
TEST_F(BadInput, AMisspeltFlagIsNamedBeforeWhatIsMissingForIt)
{
    expectRefused(slipway({"export", "run.yaml", "--too", "slurm"}), 2, {"'--too'; did you mean --to?"});
}

TEST_F(BadInput, AValueThatLooksLikeAFlagIsNotTakenForTheUnknownOne)
{
    expectRefused(slipway({"plan", "--model", "-x", "--dropuot"}), 2, {"'--dropuot'; did you mean --dropout?"});
}

TEST_F(BadInput, EveryKindOfNameIsRefusedWithTheNearestOne)
{
    expectRefused(slipway({"plan", "--attention", "flsh"}), 2, {"--attention", "did you mean flash?"});
    expectRefused(slipway({"plan", "--gpu", "h200-sxn-141gb"}), 2, {"--gpu", "did you mean h200-sxm-141gb?"});
    expectRefused(slipway({"plan", "--model", "tinylama-1.1b"}), 2, {"--model", "did you mean tinyllama-1.1b?"});
    expectRefused(slipway({"catalog", "gpu"}), 2, {"did you mean gpus?"});
    expectRefused(slipway({"runs", "--state", "runing"}), 2, {"did you mean running?"});
    expectRefused(slipway({"sweep", "--grid", "paper", "--best-by", "modle"}), 2, {"--best-by", "did you mean model?"});
    expectRefused(slipway({"sweep", "--grid", file("grid.yaml", "micro_bach: [1, 2]\n")}), 2,
        {"grid.yaml:1", "did you mean micro_batch?"});
    expectRefused(slipway({"export", "run.yaml", "--to", "slrum"}), 2, {"--to", "did you mean slurm?"});
}

TEST_F(BadInput, AGridsPointsThatCannotBePlannedSayWhy)
{
    const ChildResult swept =
        slipway({"sweep", "--grid", file("grid.yaml", "model: [1B, tinylama-1.1b]\nmicro_batch: [1, 2]\n")});
    EXPECT_EQ(swept.exitStatus, 0);
    EXPECT_NE(swept.out.find("2 skipped: --model: unknown model 'tinylama-1.1b'; did you mean tinyllama-1.1b?"),
        std::string::npos)
        << swept.out;
}

TEST_F(BadInput, AGridsPointsWithOneOfManyReasonsAreAllCounted)
{
    const std::string grid =
        file("grid.yaml", "model: [qqa, qqb, qqc, qqd, qqe, qqf, qqg, qqh, qqi, qqj]\nmicro_batch: [1, 2]\n");
    for (const std::vector<std::string> &command :
        {std::vector<std::string>{"sweep", "--grid", grid}, {"serve", "sweep", "--grid", grid}}) {
        const ChildResult swept = slipway(command);
        std::size_t reasons = 0;
        for (std::size_t at = 0;
            (at = swept.out.find("2 skipped: --model: unknown model 'qq", at)) != std::string::npos; ++at)
            ++reasons;
        EXPECT_EQ(reasons, 8U) << swept.out;
        EXPECT_NE(swept.out.find("\n4 skipped for other reasons; --csv or --json writes all\n"), std::string::npos)
            << swept.out;
    }
}

TEST_F(BadInput, AFlagWithoutItsValueIsNamed)
{
    expectRefused(slipway({"plan", "--micro-batch"}), 2, {"--micro-batch: has no value"});
    expectRefused(slipway({"runs", "--sort="}), 2, {"--sort: has no value (accepted: --sort KEY)"});
    expectRefused(slipway({"plan", "--model", "1B", "--model", "2B"}), 2, {"--model: is given 2 times", "once"});
}
TEST_F(BadInput, AStrayArgumentIsNamed) { expectRefused(slipway({"plan", "a.yaml", "b.yaml"}), 2, {"b.yaml"}); }
TEST_F(BadInput, AMissingFileIsNamed) { expectRefused(slipway({"plan", "no-such.yaml"}), 2, {"no-such.yaml"}); }
TEST_F(BadInput, AnEmptyNameOfAFileIsNotTakenForNone)
{
    const std::string grid = file("grid.yaml", "micro_batch: [1, 2]\n");
    expectRefused(slipway({"plan", ""}), 2, {"FILE: is empty"});
    expectRefused(slipway({"plan", "--csv", ""}), 2, {"--csv: is empty"});
    expectRefused(slipway({"sweep", "", "--grid", grid}), 2, {"FILE: is empty"});
    expectRefused(slipway({"launch", "", "--dry-run"}), 2, {"FILE: is empty"});
    expectRefused(slipway({"launch", file("run.yaml", ""), "--run-dir="}), 2, {"--run-dir: has no value"});
    expectRefused(slipway({"export", "", "--to", "slurm"}), 2, {"FILE: is empty"});
    EXPECT_EQ(slipway({"runs", ""}).exitStatus, 0);
    EXPECT_EQ(slipway({"plan", "--calibration", ""}).exitStatus, 0);
}
TEST_F(BadInput, AnArgumentThatIsMissingIsDescribed)
{
    expectRefused(
        slipway({"report"}), 2, {"SUBJECT is required", "name or directory of a run, or a configuration file"});
    expectRefused(slipway({"export", "run.yaml"}), 2, {"--to is required"});
}
TEST_F(BadInput, APdfThatCannotBeWrittenIsNamedAsTheUserDid)
{
    const ChildResult result = slipway({"plan", "--model", "100M", "--pdf", "/nonexistent/x.pdf"});
    EXPECT_EQ(result.exitStatus, 3);
    EXPECT_NE(result.err.find("/nonexistent/x.pdf: cannot"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(".yaml"), std::string::npos) << result.err;
}
TEST_F(BadInput, AFrameworkThatTheTrainerDoesNotRunIsRefusedBeforeAnythingStarts)
{
    const std::string yaml =
        file("lora.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\nframework: llama-factory\nlora_rank: 8\n");
    for (const char *flag : {"--dry-run", "--detach"}) {
        const ChildResult result = slipway({"launch", yaml, flag});
        EXPECT_EQ(result.exitStatus, 2) << flag;
        EXPECT_NE((result.out + result.err).find("LLaMA-Factory is simulated only"), std::string::npos) << result.out;
    }
    EXPECT_EQ(slipwayJson({"runs", "--json"})["runs"].size(), 0);
}
TEST_F(BadInput, AFileOverTheSizeLimitOfTheShellIsAnErrorAndLeavesNothing)
{
    // The runtime of the thread sanitizer writes to a file in TMPDIR before main(), if there is such a folder.
    const auto limited =
        runChild({"sh", "-c", "ulimit -f 0; TMPDIR=/none exec \"$0\" plan --csv plan.csv", SLIPWAY_PROGRAM},
            std::chrono::seconds(60));
    ASSERT_TRUE(limited) << limited.error().message();
    EXPECT_EQ(limited->exitStatus, 3);
    EXPECT_NE(limited->err.find("plan.csv: cannot write"), std::string::npos) << limited->err;
    EXPECT_TRUE(std::filesystem::is_empty(folder()));
}
TEST_F(BadInput, AGridIsReadAsStrictlyAsAConfiguration)
{
    expectRefused(slipway({"sweep", "--grid", file("grid.yaml", "gpus: [1]\n---\ngpus: [2]\n")}), 2,
        {"grid.yaml:1", "more than one document"});
    expectRefused(
        slipway({"sweep", "--grid", file("grid.yaml", "\ngpus: !!binary MQ==\n")}), 2, {"grid.yaml:2", "the tag"});
    expectRefused(
        slipway({"sweep", "--grid", file("grid.yaml", "gpus: [1]\ngpus: [2]\n")}), 2, {"grid.yaml:2", "appears twice"});
}
TEST_F(BadInput, ADryRunWhoseChecksFailSaysSoOnStandardError)
{
    const ChildResult dry = slipway({"launch", file("run.yaml", "data: missing.bin\n"), "--dry-run"});
    EXPECT_NE(dry.exitStatus, 0);
    EXPECT_NE(dry.out.find("missing data"), std::string::npos) << dry.out;
    EXPECT_NE(dry.err.find("a launch would be refused"), std::string::npos) << dry.err;
}
TEST_F(BadInput, ATruthValueBesideItsFlagShowsHowItIsWritten)
{
    expectRefused(slipway({"plan", "--dropout", "false"}), 2, {"'false'", "=false"});
}

TEST_F(BadInput, AnUnknownKeyNamesItsLineAndTheNearestKey)
{
    expectRefused(slipway({"plan", file("run.yaml", "model: 1B\n\nmicro_bacth: 4\n")}), 2,
        {"run.yaml:3", "micro_bacth", "micro_batch"});
}

TEST_F(BadInput, ANegativeSizeIsRefusedOnTheCommandLineAndInAFile)
{
    expectRefused(slipway({"plan", "--micro-batch", "-4"}), 2, {"--micro-batch"});
    expectRefused(slipway({"plan", "--micro-batch=-4"}), 2, {"--micro-batch"});
    expectRefused(slipway({"plan", "--hidden", "0"}), 2, {"--hidden"});
    expectRefused(slipway({"plan", file("run.yaml", "seq_len: -1\n")}), 2, {"run.yaml:1"});
}

TEST_F(BadInput, AHiddenSizeThatHeadsDoNotDivideIsRefused)
{
    expectRefused(slipway({"plan", "--model", "100M", "--hidden", "770", "--heads", "12"}), 2, {"heads"});
    const std::string run = file("run.yaml", "model: 1B\nheads: 12\nhidden: 1000\n");
    expectRefused(slipway({"plan", run}), 2, {"run.yaml:3", "not a multiple of 12"});
    expectRefused(slipway({"launch", run}), 2, {"run.yaml:3"});
    expectRefused(slipway({"plan", run, "--hidden", "1001"}), 2, {"--hidden", "1001"});
}

TEST_F(BadInput, AnUnknownNameOfTheCatalogueOffersOthers)
{
    expectRefused(slipway({"plan", "--gpu", "h100-sxn-80gb"}), 2, {"h100-sxn-80gb", "h100-sxm-80gb"});
    expectRefused(slipway({"plan", "--parallel", "dpp"}), 2, {"ddp", "fsdp-full"});
    expectRefused(slipway({"plan", "--prices", "nobody"}), 2, {"nobody"});
    expectRefused(slipway({"plan", "--model", "no-such-model"}), 2, {"no-such-model"});
}

TEST_F(BadInput, AFileThatIsNoYamlNamesItsLine)
{
    expectRefused(slipway({"plan", file("run.yaml", "model: 1B\ngpus: [1, 2\n")}), 2, {"run.yaml:"});
    expectRefused(slipway({"plan", file("binary.yaml", std::string("\0\x01\xff\xfe", 4))}), 2, {"binary.yaml"});
    expectRefused(slipway({"plan", file("list.yaml", "- 1\n- 2\n")}), 2, {"list.yaml"});
}

TEST_F(BadInput, NumbersThatAreNoNumbersAreRefused)
{
    for (const char *value : {"many", "", "4.5", "1e99", "0x10", "4 "})
        expectRefused(slipway({"plan", std::string("--gpus=") + value}), 2, {"--gpus"});
}

TEST_F(BadInput, AnUnknownRunNamesWhatWouldBeAccepted)
{
    for (const char *command : {"watch", "stop", "resume", "report"})
        expectRefused(slipway({command, "no-such-run"}), 2, {"no-such-run", "slipway runs"});
    expectRefused(slipway({"watch", folder().string()}), 2, {"run.yaml"});
}

TEST_F(BadInput, AnUnknownHostNamesWhatWouldBeAccepted)
{
    expectRefused(slipway({"launch", file("run.yaml", ""), "--on", "-oProxyCommand=id"}), 2, {"local"});
    expectRefused(slipway({"launch", file("run.yaml", ""), "--on", "slurm:a;b"}), 2, {"local"});
    expectRefused(slipway({"launch", file("run.yaml", ""), "--on", "local", "--sbatch=--partition=gpu"}), 2,
        {"--sbatch", "slurm"});
}

TEST_F(BadInput, ALaunchWithoutDataSaysWhatIsMissingAndStartsNothing)
{
    const std::string yaml =
        file("run.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\ndevice: cpu\ndata: missing.bin\nsteps: 1\n");
    expectRefused(slipway({"launch", yaml, "--run-dir", "run"}), 2, {"missing.bin"});
    EXPECT_FALSE(std::filesystem::exists(folder() / "run"));
}

} // namespace
} // namespace slipway::e2e
