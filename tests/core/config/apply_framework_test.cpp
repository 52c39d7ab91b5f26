// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a framework's profile makes of a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "applied_framework.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using testing::applied;
using testing::Choices;
using ::testing::HasSubstr;
using testing::shipped;

FrameworkField field(std::string key, std::string value)
{
    FrameworkField made;
    made.key = std::move(key);
    made.value = std::move(value);
    return made;
}

TEST(Frameworks, ShippedFieldsNameOptionsThatExist)
{
    const Result<void> checked = checkFrameworks(shipped());
    EXPECT_TRUE(checked) << checked.error().message();
}

TEST(Frameworks, AnOptionThatDoesNotExistIsNamedWithItsPlace)
{
    Frameworks wrong{.profiles = {{.id = "a", .fields = {field("los_path", "hf")}}}};
    wrong.profiles[0].fields[0].where = "a.yaml:3";
    EXPECT_THAT(checkFrameworks(wrong).error().message(), HasSubstr("a.yaml:3: unknown framework option 'los_path'"));
    wrong.profiles[0].fields[0] = field("loss_path", "quick");
    EXPECT_THAT(checkFrameworks(wrong).error().message(), HasSubstr("unknown value 'quick'"));
    wrong.profiles[0].fields[0] = field("learning_rate", "1");
    EXPECT_FALSE(checkFrameworks(wrong)) << "what only a run needs is no option";
    wrong.profiles[0].fields[0] = field("loss_path", "hf");
    wrong.profiles[0].fields[0].when = {{"weather", {"rain"}}};
    EXPECT_THAT(checkFrameworks(wrong).error().message(),
        HasSubstr("'weather' is neither a setting nor a property of the plan"));
}

TEST(Frameworks, AProfileSetsItsEngineAndWhatItsVersionDoes)
{
    const RunConfig spring = applied("torchtitan@2025-03"), autumn = applied("torchtitan@2025-11");
    EXPECT_EQ(spring.framework, Framework::PytorchEager);
    EXPECT_EQ(spring.simulated.sharder, Sharder::Fsdp2);
    EXPECT_EQ(spring.simulated.torch, "2.6");
    EXPECT_EQ(spring.simulated.attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(autumn.simulated.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(applied("megatron-core@0.12").framework, Framework::Megatron);
    EXPECT_EQ(applied("megatron-core@0.3").simulated.fusedGate, false);
    EXPECT_EQ(applied("nemo@2023-10").simulated.fusedGate, false) << "as what it inherits from did at that time";
    EXPECT_EQ(applied("megatron-core@0.5").simulated.fusedGate, std::nullopt);
}

TEST(Frameworks, WhatSoftwareOfATimeDoesHoldsForEnginesWithoutAProfile)
{
    ModelSpec model;
    const auto engine = [&](Framework framework, const char *torch) {
        RunConfig config{.framework = framework, .simulated = {.torch = torch}};
        EXPECT_TRUE(applyFramework(config, model, shipped()));
        return config;
    };
    EXPECT_TRUE(engine(Framework::PytorchEager, "2.4").simulated.olderModels);
    EXPECT_FALSE(engine(Framework::PytorchEager, "2.5").simulated.olderModels);
    EXPECT_FALSE(engine(Framework::Megatron, "1.5").simulated.fusedSoftmax);
    EXPECT_TRUE(engine(Framework::Megatron, "1.6").simulated.fusedSoftmax);
    EXPECT_FALSE(engine(Framework::Megatron, "2.7").simulated.weightedExperts);
    EXPECT_TRUE(engine(Framework::Megatron, "2.8").simulated.weightedExperts);
    EXPECT_EQ(engine(Framework::PytorchCompile, "2.4").simulated.repeatKv, true);
    EXPECT_EQ(engine(Framework::PytorchCompile, "2.5").simulated.repeatKv, std::nullopt);
    EXPECT_EQ(engine(Framework::Megatron, "2.4").simulated.repeatKv, std::nullopt);
    EXPECT_EQ(engine(Framework::PytorchEager, "2.8").simulated.expertGemm, ExpertGemm::Auto)
        << "a model without experts";
    model.experts = {.count = 8, .perToken = 2};
    EXPECT_EQ(engine(Framework::PytorchEager, "2.8").simulated.expertGemm, ExpertGemm::Loop);
    EXPECT_EQ(engine(Framework::PytorchEager, "2.9").simulated.expertGemm, ExpertGemm::Auto);
    EXPECT_EQ(engine(Framework::PytorchCompile, "2.8").simulated.expertGemm, ExpertGemm::Auto);
    model.experts = {};
    EXPECT_EQ(engine(Framework::PytorchEager, "1.13").simulated.gatherType, GradientType::Fp32);
    EXPECT_EQ(engine(Framework::PytorchEager, "2.0").simulated.gatherType, GradientType::Auto);
    RunConfig plain{.simulated = {.torch = "2.4"}};
    settleChoices(plain);
    EXPECT_EQ(engine(Framework::Slipway, "2.4"), plain) << "our own trainer is not simulated";
}

TEST(Frameworks, AnOptionOverridesAChangeOfPyTorchAndNothingElse)
{
    TorchChanges changes = applied("hf-trainer@4.46").simulated.torchChanges;
    EXPECT_TRUE(changes.stopsEarly);
    changes.stopsEarly = false;
    EXPECT_EQ(
        applied("hf-trainer@4.46", {{"framework_option", "torch.stops_early=false"}}).simulated.torchChanges, changes);
    const auto refused = [](const char *option) {
        RunConfig config{.software = "hf-trainer", .frameworkOptions = {option}};
        ModelSpec model;
        return applyFramework(config, model, shipped()).error().message();
    };
    EXPECT_THAT(refused("torch.stops_erly=false"), HasSubstr("did you mean torch.stops_early?"));
    EXPECT_THAT(refused("torch.stops_early=no"), HasSubstr("neither true nor false"));
    const Frameworks wrong{.profiles = {{.id = "a", .fields = {field("torch.stops_early", "false")}}}};
    EXPECT_THAT(checkFrameworks(wrong).error().message(), HasSubstr("follows from the version of PyTorch"));
}

TEST(Frameworks, AVersionOfPyTorchDoesWhatItAndThoseBeforeItChanged)
{
    ModelSpec model;
    const auto changes = [&](const char *torch) {
        RunConfig config{.framework = Framework::PytorchEager, .simulated = {.torch = torch}};
        EXPECT_TRUE(applyFramework(config, model, shipped()));
        return config.simulated.torchChanges;
    };
    EXPECT_FALSE(changes("1.9").halfGelu);
    EXPECT_TRUE(changes("1.10").halfGelu);
    EXPECT_FALSE(changes("1.10.2").flash2);
    EXPECT_FALSE(changes("2.9").keepsNoOutputs);
    EXPECT_EQ(changes("2.10"), TorchChanges{}) << "the last change so far";
    EXPECT_EQ(applied("hf-trainer@4.46").simulated.torchChanges, changes("2.5")) << "of the PyTorch of its day";
    RunConfig again{.framework = Framework::PytorchEager, .simulated = {.torch = "1.9"}};
    EXPECT_TRUE(applyFramework(again, model, shipped()));
    again.simulated.torch = "2.10";
    EXPECT_TRUE(applyFramework(again, model, shipped()));
    EXPECT_EQ(again.simulated.torchChanges, TorchChanges{}) << "whatever it was before";
}

TEST(Frameworks, AnEngineWithoutAVersionIsTheNewest)
{
    const RunConfig open = applied("pytorch-eager"), newest = applied("pytorch-eager", {{"torch", "2.15"}});
    EXPECT_EQ(shipped().find("pytorch")->releases.back().version, "2.15");
    EXPECT_EQ(open.simulated.torchChanges, newest.simulated.torchChanges);
    EXPECT_EQ(open.simulated.olderModels, newest.simulated.olderModels);
    EXPECT_GE(open.simulated.torchVersion(), newest.simulated.torchVersion());
}

// A profile of the user's own may replace any other one, but neither the changes nor their versions.
TEST(Frameworks, TheUsersOwnFolderLeavesTheChangesOfPyTorchAlone)
{
    TemporaryDirectory folder;
    std::filesystem::create_directory(folder.path() / "engines");
    std::ofstream(folder.path() / "pytorch.yaml") << "id: pytorch\ntitle: Mine\nversion_is_torch: true\n";
    std::ofstream(folder.path() / "engines/torch_changes.yaml") << "torch_changes: []\n";
    Frameworks frameworks = shipped();
    ASSERT_TRUE(addFrameworks(frameworks, folder.path()));
    ASSERT_EQ(frameworks.find("pytorch")->title, "Mine");
    EXPECT_EQ(frameworks.torchChanges, shipped().torchChanges);
    RunConfig config{.framework = Framework::PytorchEager};
    ModelSpec model;
    ASSERT_TRUE(applyFramework(config, model, frameworks));
    EXPECT_EQ(config.simulated.torchChanges, TorchChanges{});
}

TEST(Frameworks, AProfileCountsOverWhatItsTimeDoes)
{
    EXPECT_TRUE(applied("hf-trainer@4.45").simulated.olderModels);
    EXPECT_FALSE(applied("hf-trainer@4.46", {{"torch", "2.4"}}).simulated.olderModels) << "its version, not PyTorch's";
    EXPECT_FALSE(applied("megatron-core@0.12", {{"torch", "2.8"}}).simulated.weightedExperts);
    EXPECT_TRUE(applied("megatron-core@0.13").simulated.weightedExperts);
    EXPECT_TRUE(applied("megatron-core").simulated.weightedExperts);
    EXPECT_TRUE(applied("hf-trainer", {{"framework_option", "older_models=true"}}).simulated.olderModels)
        << "what is given";
}

TEST(Frameworks, AConditionComparesNumbersAndNothingElse)
{
    RunConfig config;
    config.microBatch = 4;
    config.attention = Attention::Flash;
    const auto holds = [&](const char *key, const char *accepted) {
        return conditionsHold({{.key = key, .accepted = {accepted}}}, config, {});
    };
    for (const char *accepted : {"4", "!5", ">3", ">=4", "<5", "<=4"})
        EXPECT_TRUE(holds("micro_batch", accepted)) << accepted;
    for (const char *accepted : {"5", "!4", ">4", ">=5", "<4", "<=3", ">many", "<many", ">", "<=", ">=4 or so"})
        EXPECT_FALSE(holds("micro_batch", accepted)) << accepted;
    for (const char *accepted : {">-1", "<1", ">=0", "<=0"})
        EXPECT_FALSE(holds("attention", accepted)) << accepted;
}

TEST(Frameworks, WhatIsGivenCountsOverTheProfile)
{
    EXPECT_EQ(applied("hf-trainer").simulated.lossPath, LossPath::Upcast);
    EXPECT_FALSE(applied("hf-trainer").simulated.denseMask);
    EXPECT_TRUE(applied("hf-trainer", {{"compile", "true"}}).simulated.denseMask)
        << "traced code cannot look into a mask";
    EXPECT_EQ(applied("hf-trainer@4.53").simulated.repeatKv, true);
    EXPECT_EQ(applied("hf-trainer@4.57").simulated.repeatKv, std::nullopt);
    EXPECT_EQ(applied("hf-trainer@4.57", {{"compile", "true"}}).simulated.repeatKv, true) << "beside a mask";
    EXPECT_FALSE(applied("hf-trainer", {{"compile", "true"}, {"attention_kernel", "flash-2"}}).simulated.denseMask);
    EXPECT_EQ(applied("hf-trainer", {{"loss_path", "chunked"}}).simulated.lossPath, LossPath::Chunked);
    EXPECT_EQ(applied("hf-trainer", {{"framework_option", "loss_path=auto"}}).simulated.lossPath, LossPath::Auto);
    EXPECT_EQ(applied("torchtitan", {{"torch", "2.7"}}).simulated.torch, "2.7");
}

TEST(Frameworks, CompilationChangesTheEngineAndItsLoss)
{
    EXPECT_EQ(applied("pytorch@2025-06").framework, Framework::PytorchEager);
    const RunConfig compiled = applied("pytorch@2025-06", {{"compile", "true"}});
    EXPECT_EQ(compiled.framework, Framework::PytorchCompile);
    EXPECT_EQ(compiled.simulated.lossPath, LossPath::Bf16) << "a loop's own loss follows the compiled Llama";
    ModelSpec gpt2;
    gpt2.position = Position::Learned;
    EXPECT_EQ(applied("pytorch@2025-06", {{"compile", "true"}}, gpt2).simulated.lossPath, LossPath::CompiledOutput);
    EXPECT_EQ(applied("nanochat").simulated.lossPath, LossPath::CompiledWhole);
    EXPECT_EQ(applied("nanogpt").framework, Framework::PytorchCompile) << "its default";
    EXPECT_EQ(applied("nanogpt", {{"compile", "false"}}).framework, Framework::PytorchEager);
}

TEST(Frameworks, CompilationOfTheModelLeavesALossOutsideOfItEager)
{
    for (const char *compile : {"false", "true"}) {
        EXPECT_EQ(applied("nemo-automodel", {{"compile", compile}}).simulated.lossPath, LossPath::Upcast);
        EXPECT_EQ(applied("nemo-automodel@0.3", {{"compile", compile}}).simulated.lossPath, LossPath::Hf)
            << "keeps the output";
        EXPECT_EQ(applied("verl@0.6", {{"compile", compile}}).simulated.lossPath, LossPath::Hf);
        EXPECT_EQ(applied("open-lm", {{"compile", compile}}).simulated.lossPath, LossPath::Hf);
    }
}

// Fabric casts what a model returns, also that of a bf16 model.
TEST(Frameworks, LitGptsLossIsThatOfFp32Logits)
{
    for (const char *compile : {"false", "true"}) {
        for (const char *precision : {"bf16", "bf16-mixed"})
            EXPECT_EQ(applied("litgpt", {{"compile", compile}, {"precision", precision}}).simulated.lossPath,
                LossPath::Upcast);
    }
}

// Changing attention changes attention.
TEST(Frameworks, AttentionChangesNothingElse)
{
    for (const char *name : {"hf-trainer", "megatron-core", "torchtitan", "litgpt", "deepspeed"}) {
        const RunConfig flash = applied(name);
        RunConfig vanilla = applied(name, {{"attention", "vanilla"}});
        vanilla.attention = flash.attention;
        EXPECT_EQ(flash, vanilla) << name;
    }
}

// A trainer with defaults of its own, whose loss depends on one of them.
Frameworks recomputing()
{
    Frameworks made{.profiles = {{.id = "thrifty",
                        .fields = {field("loss_path", "upcast"), field("recompute", "full"),
                            field("attention", "vanilla"), field("precision", "bf16")}}}};
    made.profiles[0].fields[0].when = {{.key = "recompute", .accepted = {"full"}}};
    return made;
}

TEST(Frameworks, RecomputationAttentionAndPrecisionAreTheFrameworksUnlessTheUserSaysOtherwise)
{
    ModelSpec model;
    RunConfig config = applySetting({}, "framework", "thrifty").value();
    const auto fields = applyFramework(config, model, recomputing());
    ASSERT_TRUE(fields) << fields.error().message();
    EXPECT_EQ(fields->size(), 4U);
    EXPECT_EQ(config.recompute, Recompute::Full);
    EXPECT_EQ(config.attention, Attention::Vanilla);
    EXPECT_EQ(config.precision, Precision::Bf16);

    config = applySetting({}, "framework", "thrifty").value();
    config.recompute = Recompute::None;
    config.attention = Attention::Flash;
    config.precision = Precision::Bf16Mixed;
    const auto none = applyFramework(config, model, recomputing());
    ASSERT_TRUE(none) << none.error().message();
    EXPECT_THAT(*none, ::testing::IsEmpty()) << "its loss is that of recomputation";
    EXPECT_EQ(config.recompute, Recompute::None);
    EXPECT_EQ(config.attention, Attention::Flash);
    EXPECT_EQ(config.precision, Precision::Bf16Mixed);
}

TEST(Frameworks, ConditionsReadRecomputationOnlyOnceItIsSettled)
{
    ModelSpec model;
    RunConfig config = applySetting({}, "framework", "thrifty").value();
    ASSERT_TRUE(applyFramework(config, model, recomputing()));
    EXPECT_EQ(config.simulated.lossPath, LossPath::Upcast) << "the field stands before that of the recomputation";
}

TEST(Frameworks, ConditionsReadTheResolvedModel)
{
    Frameworks made{
        .profiles = {{.id = "sized", .fields = {field("recompute", "full"), field("loss_path", "upcast")}}}};
    made.profiles[0].fields[0].when = {{.key = "model.params", .accepted = {">60e9"}}};
    made.profiles[0].fields[1].when = {{.key = "model", .accepted = {"llama-3-70b"}}};
    ASSERT_TRUE(checkFrameworks(made));
    const auto with = [&](ModelSpec model) {
        RunConfig config = applySetting({}, "framework", "sized").value();
        config.model.name = "meta-llama/Meta-Llama-3-70B"; // as a user may write it
        EXPECT_TRUE(applyFramework(config, model, made));
        return config;
    };
    ModelSpec large;
    large.name = "llama-3-70b";
    large.layers = 80;
    large.hidden = 8192;
    large.mlp.width = 28672;
    large.attention = {.heads = 64, .kvHeads = 8, .headDim = 128};
    ASSERT_GT(parameterCount(large), 60e9);
    EXPECT_EQ(with(large).recompute, Recompute::Full);
    EXPECT_EQ(with(large).simulated.lossPath, LossPath::Upcast);
    EXPECT_EQ(with({}).recompute, Recompute::None);
    EXPECT_NE(with({}).simulated.lossPath, LossPath::Upcast);
}

TEST(Frameworks, WithoutAProfileAttentionIsFlashNothingIsRecomputedAndMasterWeightsAreKept)
{
    for (const char *engine : {"slipway", "pytorch-eager", "megatron"}) {
        ModelSpec model;
        RunConfig config = applySetting({}, "framework", engine).value();
        ASSERT_TRUE(applyFramework(config, model, shipped()));
        EXPECT_EQ(config.attention, Attention::Flash) << engine;
        EXPECT_EQ(config.recompute, Recompute::None) << engine;
        EXPECT_EQ(config.precision, Precision::Bf16Mixed) << engine;
    }
}

TEST(Frameworks, AnEngineStaysAsItIs)
{
    const RunConfig plain = applied("megatron");
    EXPECT_EQ(plain.framework, Framework::Megatron);
    EXPECT_TRUE(plain.software.empty());
    EXPECT_TRUE(plain.simulated.torch.empty());
}

TEST(Frameworks, AnOptionOfTheModelSetsWhatTheUserSays)
{
    for (const bool value : {true, false}) {
        ModelSpec model{.dropout = !value};
        RunConfig config =
            applySetting({}, "framework_option", value ? "model.dropout=true" : "model.dropout=false").value();
        ASSERT_TRUE(applyFramework(config, model, shipped()));
        EXPECT_EQ(model.dropout, value);
    }
}

TEST(Frameworks, AnUnknownNameOrOptionIsAnError)
{
    RunConfig config = applySetting({}, "framework", "torchtitn").value();
    ModelSpec model;
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("did you mean torchtitan?"));
    config = applySetting({}, "framework_option", "loss_path").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("has no value"));
    config = applySetting({}, "framework_option", "colour=red").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("unknown framework option"));
    config = applySetting({}, "framework_option", "limit_gather=true").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("did you mean limit_gathers?"));
    EXPECT_FALSE(applySetting({}, "framework", "a/b"));
    EXPECT_FALSE(applySetting({}, "framework", ""));
}

} // namespace
} // namespace slipway
