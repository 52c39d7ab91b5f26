// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/export_files.h"

#include <gtest/gtest.h>

#include "base/yaml.h"

namespace slipway {
namespace {

const NodeBundle kBundle{.folder = "/srv/bundle: 1", .version = "0.1.0"};

YamlNode taskOf(int gpus, int perNode, const NodeBundle &bundle)
{
    RunConfig config;
    config.parallel.gpus = gpus;
    config.parallel.gpusPerNode = perNode;
    Prediction prediction;
    prediction.gpu.id = "h100-sxm-80gb";
    const Result<ExportedFile> file = exportedFile(config, prediction, ExportTarget::Skypilot, bundle);
    EXPECT_TRUE(file) << file.error().message();
    const Result<YamlNode> yaml = parseYaml(file->text, file->name);
    EXPECT_TRUE(yaml) << yaml.error().message() << "\n" << file->text;
    return *yaml;
}

std::string textOf(const YamlNode &task, const std::string &key)
{
    const YamlNode *const node = task.find(key);
    return node ? node->scalar : std::string();
}

TEST(SkypilotTask, BringsTheBundleAndInstallsLibTorchSoThatABareImageIsEnough)
{
    const YamlNode task = taskOf(2, 8, kBundle);
    const YamlNode *const mounts = task.find("file_mounts");
    ASSERT_TRUE(mounts);
    ASSERT_TRUE(mounts->find("~/.local/share/slipway/bundle"));
    EXPECT_EQ(mounts->find("~/.local/share/slipway/bundle")->scalar, kBundle.folder);
    EXPECT_EQ(textOf(task, "setup"), "~/.local/share/slipway/bundle/bin/slipway-train --fetch-libtorch\n");
    EXPECT_EQ(textOf(task, "run"),
        "export PATH=~/.local/share/slipway/bundle/bin:$PATH\nexec slipway-train run . -n 2 --resume\n");
}

TEST(SkypilotTask, TakesTorchrunFromPyTorchOnSeveralNodes)
{
    const YamlNode task = taskOf(16, 8, kBundle);
    EXPECT_EQ(textOf(task, "setup"),
        "python3 -m pip install torch==\"$(cat ~/.local/share/slipway/bundle/libtorch-version)\"\n");
    EXPECT_TRUE(textOf(task, "run").starts_with("export PATH=~/.local/share/slipway/bundle/bin:$PATH\ncd "));
}

TEST(SkypilotTask, WithoutABundleSaysHowToBringOne)
{
    const YamlNode task = taskOf(1, 8, {});
    EXPECT_EQ(task.find("file_mounts"), nullptr);
    EXPECT_EQ(textOf(task, "setup"), "command -v slipway-train");
    EXPECT_EQ(textOf(task, "run"), "exec slipway-train run . -n 1 --resume\n");
}

RunConfig withData()
{
    RunConfig config;
    config.training.data = {{.path = "/corpora/a/tokens.bin"}, {.path = "/corpora/b/tokens.bin"}};
    config.training.evalData = {{.path = "/corpora/a/tokens.bin"}};
    config.training.tokenizer = "/corpora/t.model";
    return config;
}

TEST(KubernetesJob, NamesTheDataOnTheVolumeAndSaysWhatToCopyThere)
{
    const ExportedFile file = exportedFile(withData(), {}, ExportTarget::Kubernetes).value();
    const TrainingChoice &training = file.config.training;
    EXPECT_EQ(training.data[0].path, "/run-directory/data/tokens.bin");
    EXPECT_EQ(training.data[1].path, "/run-directory/data/2-tokens.bin");
    EXPECT_EQ(training.evalData[0].path, training.data[0].path);
    EXPECT_EQ(training.tokenizer, "/run-directory/data/t.model");
    for (const char *line :
        {"#   run.yaml -> /run-directory/run.yaml\n", "#   /corpora/a/tokens.bin -> /run-directory/data/tokens.bin\n",
            "#   /corpora/b/tokens.bin -> /run-directory/data/2-tokens.bin\n",
            "#   /corpora/t.model -> /run-directory/data/t.model\n"})
        EXPECT_NE(file.text.find(line), std::string::npos) << line << file.text;
    EXPECT_TRUE(parseYaml(file.text, file.name));
}

TEST(ExportedScripts, SayWhichFilesMustExistOnTheNodes)
{
    for (const ExportTarget target : {ExportTarget::Slurm, ExportTarget::Torchrun}) {
        const ExportedFile file = exportedFile(withData(), {}, target).value();
        EXPECT_EQ(file.config, withData());
        EXPECT_NE(file.text.find("They must exist at these paths on each node:\n#   /corpora/a/tokens.bin\n"),
            std::string::npos)
            << file.text;
    }
    RunConfig hostile = withData();
    hostile.training.tokenizer = "/corpora/t\ntouch pwned";
    EXPECT_EQ(exportedFile(hostile, {}, ExportTarget::Torchrun).value().text.find("\ntouch"), std::string::npos);
}

TEST(ExportedScripts, AreRefusedForAFrameworkThatTheTrainerDoesNotRun)
{
    RunConfig config;
    config.framework = Framework::Megatron;
    EXPECT_FALSE(exportedFile(config, {}, ExportTarget::Slurm));
}

} // namespace
} // namespace slipway
