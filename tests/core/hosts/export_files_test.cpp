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

} // namespace
} // namespace slipway
