// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/convert.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "comm/communicator.h"
#include "plan/build_plan.h"
#include "python.h"
#include "run/checkpointer.h"
#include "run/run_loop.h"
#include "scratch_folder.h"
#include "support/shipped_catalogue.h"
#include "state/safetensors.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::kNoTransformers;
using testing::makeTinyRun;
using testing::messageOf;
using testing::metricsOf;
using testing::pythonWithTransformers;
using testing::readBytes;
using testing::rewriteConfig;
using testing::ScratchFolder;
using testing::writeBytes;

RunPaths trainedRun(const std::filesystem::path &directory, const std::vector<std::string> &changes = {})
{
    const RunPaths run = makeTinyRun(directory, changes);
    const Result<RunJob> job = prepareRun(run.directory, catalogue());
    EXPECT_TRUE(job) << messageOf(job);
    const Result<int> status = train(*job, {.threads = 1});
    EXPECT_TRUE(status) << messageOf(status);
    return run;
}

TEST(HalfTypes, ConvertAsTheirFormatsSay)
{
    EXPECT_EQ(fromBf16(0x3f80), 1.0F);
    EXPECT_EQ(fromFp16(0x3c00), 1.0F);
    EXPECT_EQ(fromFp16(0xc500), -5.0F);
    EXPECT_EQ(fromFp16(0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(fromFp16(0x7c00), std::numeric_limits<float>::infinity());
    EXPECT_EQ(toBf16(1.0F), 0x3f80);
    EXPECT_EQ(toBf16(1.00390625F), 0x3f80) << "a tie goes to even";
    EXPECT_EQ(toBf16(1.01171875F), 0x3f82);
    EXPECT_TRUE(std::isnan(fromBf16(toBf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Convert, ExportedAndImportedAgainGivesTheSameWeightsWhoeverHeldThem)
{
    const ScratchFolder folder;
    const RunPaths run = trainedRun(folder / "r", {"gpus: 2", "parallel: fsdp-full"});
    const Result<std::int64_t> step = exportHf(run.directory, folder / "hf", ExportType::Fp32, catalogue());
    ASSERT_TRUE(step) << messageOf(step);
    EXPECT_EQ(*step, 6);
    const auto config = nlohmann::json::parse(readBytes(folder / "hf/config.json"));
    EXPECT_EQ(config["architectures"][0], "LlamaForCausalLM");
    EXPECT_EQ(config["num_key_value_heads"], 2);

    ASSERT_TRUE(importHf(folder / "hf", folder / "again", catalogue()));
    ASSERT_TRUE(exportHf(folder / "again", folder / "hf2", ExportType::Fp32, catalogue()));
    EXPECT_EQ(readBytes(folder / "hf/model.safetensors"), readBytes(folder / "hf2/model.safetensors"));
}

TEST(Convert, ExportsTheMovingAverageWhereTheRunHasOne)
{
    const ScratchFolder folder;
    const RunPaths run = trainedRun(folder / "r", {"ema: 0.5"}), plain = trainedRun(folder / "plain", {});
    ASSERT_TRUE(exportHf(run.directory, folder / "hf", ExportType::Fp32, catalogue()));
    ASSERT_TRUE(exportHf(run.directory, folder / "average", ExportType::Fp32, catalogue(), WeightsOf::Average));
    EXPECT_NE(readBytes(folder / "hf/model.safetensors"), readBytes(folder / "average/model.safetensors"));
    EXPECT_EQ(readBytes(folder / "hf/config.json"), readBytes(folder / "average/config.json"));
    EXPECT_THAT(
        messageOf(exportHf(plain.directory, folder / "none", ExportType::Fp32, catalogue(), WeightsOf::Average)),
        HasSubstr("has no moving average"));
}

TEST(Convert, AnImportedModelGoesOnWithItsLoss)
{
    const ScratchFolder folder;
    const RunPaths run = trainedRun(folder / "r", {"steps: 60", "learning_rate: 1e-2"});
    ASSERT_TRUE(exportHf(run.directory, folder / "hf", ExportType::Bf16, catalogue()));
    const RunPaths next = makeTinyRun(folder / "n", {"steps: 1"});
    ASSERT_TRUE(importHf(folder / "hf", next.directory, catalogue()));
    const Result<RunJob> job = prepareRun(next.directory, catalogue());
    ASSERT_TRUE(job) << messageOf(job);
    ASSERT_TRUE(train(*job, {.resume = true, .threads = 1}));
    EXPECT_LT(metricsOf(next).front().loss, metricsOf(run).front().loss - 1.0);
    EXPECT_NEAR(metricsOf(next).front().loss, metricsOf(run).back().loss, 0.3);
}

TEST(Convert, RefusesWhatItCannotTakeAndOverwritesNothing)
{
    const ScratchFolder folder;
    const RunPaths run = trainedRun(folder / "r");
    ASSERT_TRUE(exportHf(run.directory, folder / "hf", ExportType::Fp32, catalogue()));
    EXPECT_THAT(messageOf(exportHf(run.directory, folder / "hf", ExportType::Fp32, catalogue())),
        HasSubstr("holds a model.safetensors already (accepted: a new folder)"));
    EXPECT_THAT(messageOf(importHf(folder / "hf", run.directory, catalogue())), HasSubstr("holds the steps of a run"));
    EXPECT_THAT(messageOf(importHf(folder / "none", folder / "n", catalogue())), HasSubstr("config.json"));
    EXPECT_THAT(
        messageOf(exportHf(makeTinyRun(folder / "untrained").directory, folder / "u", ExportType::Fp32, catalogue())),
        HasSubstr("has no checkpoint yet"));
    const RunPaths other = makeTinyRun(folder / "other", {"ffn: 96"});
    EXPECT_THAT(messageOf(importHf(folder / "hf", other.directory, catalogue())),
        HasSubstr("describes another model: ffn is 64, not 96"));

    const std::string config = readBytes(folder / "hf/config.json");
    for (const char *otherwise : {R"("rope_scaling": {"rope_type": "dynamic", "factor": 8.0})", R"("novel_gate": true)",
             R"("hidden_act": "novel")", R"("model_type": "novel")", R"("model_type": "gemma")"}) {
        writeBytes(folder / "hf/config.json", config.substr(0, config.rfind('}')) + ", " + otherwise + "}");
        EXPECT_THAT(messageOf(importHf(folder / "hf", folder / "n", catalogue())),
            AllOf(AnyOf(ContainsRegex("hf/config.json:[0-9]+: "),
                      HasSubstr("hf/config.json: Slipway's trainer does not support")),
                AnyOf(HasSubstr("it has RoPE scaling 'dynamic' (accepted: megatron, pytorch-eager or pytorch-compile"),
                    HasSubstr("novel"), HasSubstr("is not supported for models of type gemma"))))
            << otherwise;
    }
    writeBytes(folder / "hf/config.json", config);

    std::filesystem::resize_file(
        folder / "hf/model.safetensors", std::filesystem::file_size(folder / "hf/model.safetensors") - 4);
    const Result<void> cut = importHf(folder / "hf", folder / "n", catalogue());
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().fault, Fault::Damaged);
    EXPECT_FALSE(std::filesystem::exists(folder / "n"));
}

// The logits of every place, by the plan's own forward ops.
std::vector<float> logitsOf(const RunJob &job, const std::vector<std::int32_t> &ids)
{
    RunConfig config = job.config;
    config.microBatch = config.gradAccum = 1;
    config.seqLen = std::ssize(ids);
    config.parallel = {};
    const StepPlan plan = buildPlan(config, job.model).value().stages.front();
    SingleCommunicator alone;
    const auto executor = std::move(Executor::create(plan, job.model, alone)).value();
    EXPECT_TRUE(CheckpointStore(job.paths.checkpoints()).restore(job.model, checkpointTensors(*executor)));
    std::vector<float> logits;
    executor->setObserver([&](const OpEvent &event) {
        if (event.before && plan.at(event.op.kernel).kind == OpKind::CrossEntropy) {
            const auto bytes = executor->bytesOf(event.op.reads[0], event.slot, event.microBatch);
            const auto *values = reinterpret_cast<const float *>(bytes.data());
            logits.insert(logits.end(), values, values + plan.at(event.op.kernel).m * plan.at(event.op.kernel).n);
        }
    });
    EXPECT_TRUE(executor->evaluate({.tokens = ids, .targets = ids}));
    return logits;
}

constexpr const char *kLogitsScript = R"(
import sys, torch, transformers
transformers.logging.set_verbosity_error()
model, info = transformers.LlamaForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32, output_loading_info=True)
assert not info["missing_keys"] and not info["unexpected_keys"], info
ids = torch.tensor([[int(i) for i in sys.argv[3:]]])
with torch.no_grad():
    logits = model(ids).logits[0].contiguous()
open(sys.argv[2], "wb").write(logits.numpy().tobytes())
)";

TEST(Export, LoadsInTransformersAndGivesTheSameLogits)
{
    const std::string python = pythonWithTransformers();
    if (python.empty())
        GTEST_SKIP() << kNoTransformers;
    const ScratchFolder folder;
    const std::filesystem::path script = folder.path() / std::filesystem::path("logits.py");
    writeBytes(script, kLogitsScript);
    for (const char *tied : {"tied: false", "tied: true"}) {
        const std::filesystem::path place = folder / tied;
        const RunPaths run = trainedRun(place / "r", {tied, "steps: 40", "learning_rate: 1e-2"});
        ASSERT_TRUE(exportHf(run.directory, place / "hf", ExportType::Fp32, catalogue()));
        const std::vector<std::int32_t> ids{1, 8, 43, 26, 5, 0, 63, 12, 9, 30, 1};
        std::string command = "'" + python + "' '" + script.string() + "' '" + (place / "hf").string() + "' '" +
                              (place / "out").string() + "'";
        for (const std::int32_t id : ids)
            command += " " + std::to_string(id);
        ASSERT_EQ(std::system(command.c_str()), 0);
        const std::string bytes = readBytes(place / "out");
        const std::vector<float> ours = logitsOf(*prepareRun(run.directory, catalogue()), ids);
        ASSERT_EQ(bytes.size(), ours.size() * sizeof(float));
        const auto *theirs = reinterpret_cast<const float *>(bytes.data());
        for (std::size_t i = 0; i < ours.size(); ++i)
            ASSERT_NEAR(ours[i], theirs[i], 2e-4) << i;
    }
}

constexpr const char *kModelScript = R"(
import sys, torch, transformers
if int(transformers.__version__.split(".")[0]) < 5: sys.exit(3)
torch.manual_seed(0)
config = transformers.LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, rms_norm_eps=1e-6,
    initializer_range=0.2, rope_parameters={"rope_type": "default", "rope_theta": 300.0})
model = transformers.LlamaForCausalLM(config)
assert abs(model.model.rotary_emb.inv_freq[1].item() - 300.0 ** (-2 / 8)) < 1e-6
model.save_pretrained(sys.argv[1])
)";

TEST(Import, OfWhatTransformersSavedGivesItsLogitsAndSoDoesItsExport)
{
    const std::string python = pythonWithTransformers();
    if (python.empty())
        GTEST_SKIP() << kNoTransformers;
    const ScratchFolder folder;
    writeBytes(folder / "model.py", kModelScript);
    writeBytes(folder / "logits.py", kLogitsScript);
    const int status = std::system(
        ("'" + python + "' '" + (folder / "model.py").string() + "' '" + (folder / "hf").string() + "'").c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        GTEST_SKIP() << "Transformers is older than 5";
    ASSERT_EQ(status, 0);
    const RunPaths run{.directory = folder / "r"};
    ASSERT_TRUE(importHf(folder / "hf", run.directory, catalogue()));
    const RunPaths data = makeTinyRun(folder / "data");
    rewriteConfig(run, {"gpu: cpu", "device: cpu", "precision: fp32", "micro_batch: 1", "seq_len: 16",
                           "data: " + (data.directory / "tokens.bin").string()});
    ASSERT_TRUE(exportHf(run.directory, folder / "again", ExportType::Fp32, catalogue()));
    const std::vector<std::int32_t> ids{1, 8, 43, 26, 5, 0, 63, 12, 9, 30, 1};
    const Result<RunJob> job = prepareRun(run.directory, catalogue());
    ASSERT_TRUE(job) << messageOf(job);
    const std::vector<float> ours = logitsOf(*job, ids);
    for (const char *saved : {"hf", "again"}) {
        std::string command = "'" + python + "' '" + (folder / "logits.py").string() + "' '" +
                              (folder / saved).string() + "' '" + (folder / "out").string() + "'";
        for (const std::int32_t id : ids)
            command += " " + std::to_string(id);
        ASSERT_EQ(std::system(command.c_str()), 0);
        const std::string bytes = readBytes(folder / "out");
        ASSERT_EQ(bytes.size(), ours.size() * sizeof(float));
        const auto *theirs = reinterpret_cast<const float *>(bytes.data());
        for (std::size_t i = 0; i < ours.size(); ++i)
            ASSERT_NEAR(ours[i], theirs[i], 2e-4) << saved << ", " << i;
    }
}

} // namespace
} // namespace slipway
