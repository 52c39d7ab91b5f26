// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the shipped profiles say of each framework and its versions.
#include <gtest/gtest.h>

#include "applied_framework.h"

namespace slipway {
namespace {

using testing::applied;
using testing::Choices;
using testing::shipped;

TEST(FrameworkProfiles, LlamaFactoryRecomputesUnlessTold)
{
    EXPECT_EQ(applied("llama-factory").recompute, Recompute::Full);
    EXPECT_EQ(applied("llama-factory").simulated.checkpointEarlyStop, false) << "its condition reads recompute";
    EXPECT_EQ(applied("llama-factory", {{"recompute", "none"}}).recompute, Recompute::None);
    EXPECT_EQ(applied("hf-trainer").recompute, Recompute::None);
    EXPECT_EQ(applied("oumi").recompute, Recompute::None) << "although it inherits TRL";
}

TEST(FrameworkProfiles, TheTypeOfTheWeightsIsThatOfTheFrameworkUnlessTold)
{
    EXPECT_EQ(applied("hf-trainer").precision, Precision::Bf16) << "one GPU";
    EXPECT_EQ(applied("hf-trainer@4.57").precision, Precision::Bf16Mixed);
    EXPECT_EQ(applied("hf-trainer", {{"precision", "bf16-mixed"}}).precision, Precision::Bf16Mixed);
    EXPECT_EQ(applied("hf-trainer", {{"parallel", "fsdp-full"}}).precision, Precision::Bf16Mixed);
    EXPECT_EQ(applied("hf-trainer", {{"sharder", "deepspeed"}}).precision, Precision::Bf16Mixed) << "fp32 masters";
    EXPECT_EQ(applied("hf-trainer", {{"lora_rank", "16"}}).precision, Precision::Bf16Mixed) << "fp32 adapters";
    EXPECT_EQ(applied("trl").precision, Precision::Bf16Mixed) << "although it inherits the Trainer";
    EXPECT_EQ(applied("llama-factory").precision, Precision::Bf16Mixed) << "although it inherits the Trainer";
    EXPECT_EQ(applied("oumi").precision, Precision::Bf16) << "although it inherits TRL";
    EXPECT_EQ(applied("torchtune", {{"lora_rank", "16"}}).precision, Precision::Bf16);
    EXPECT_EQ(applied("torchtitan@0.2", {{"tp", "2"}}).precision, Precision::Fp32);
    EXPECT_EQ(applied("torchtitan@0.3", {{"tp", "2"}}).precision, Precision::Bf16Mixed);
}

TEST(FrameworkProfiles, FrozenWeightsAreThoseOfTheFrameworkUnlessTold)
{
    EXPECT_EQ(applied("trl", {{"lora_rank", "16"}}).frozenWeights, FrozenWeights::Fp32);
    EXPECT_EQ(applied("trl@0.26", {{"lora_rank", "16"}}).frozenWeights, std::nullopt);
    const Choices said{{"lora_rank", "16"}, {"frozen_weights", "whole"}};
    EXPECT_EQ(applied("trl", said).frozenWeights, FrozenWeights::Whole) << "although it is the usual value";
    EXPECT_EQ(applied("trl").frozenWeights, std::nullopt) << "all weights are trained";
    EXPECT_EQ(applied("oumi", {{"lora_rank", "16"}}).frozenWeights, FrozenWeights::Whole);
}

TEST(FrameworkProfiles, TransformersBefore436WriteTheScoresOfAttention)
{
    EXPECT_EQ(applied("hf-trainer@4.30").attention, Attention::Vanilla);
    EXPECT_EQ(applied("hf-trainer@4.46").attention, Attention::Flash);
    EXPECT_EQ(applied("hf-trainer@4.30", {{"attention", "flash"}}).attention, Attention::Flash);
    EXPECT_EQ(applied("hf-trainer@4.30", {{"attention_kernel", "flash-2"}}).attention, Attention::Flash)
        << "a kernel of flash attention was named";
}

// trainer.py runs all micro-batches but the last in no_sync, of FSDP as of DDP; DeepSpeed's engine it leaves alone.
TEST(FrameworkProfiles, HuggingFacesMicroBatchesLeaveGradientsUnshardedUnderFsdp)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    const Choices zero3{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}};
    for (const char *name : {"hf-trainer", "hf-trainer@4.46", "hf-trainer@4.20", "axolotl", "litgpt"}) {
        EXPECT_EQ(applied(name, fsdp).gradReduce, GradReduce::Step) << name;
    }
    EXPECT_EQ(applied("hf-trainer", zero3).gradReduce, GradReduce::Auto);
    EXPECT_EQ(applied("hf-trainer", {{"gpus", "8"}, {"parallel", "ddp"}}).gradReduce, GradReduce::Auto);
    EXPECT_EQ(applied("torchtitan", fsdp).gradReduce, GradReduce::Auto) << "it reduces after each";
}

// Its trainers pin the version of Transformers, or ask for a version of FSDP themselves.
TEST(FrameworkProfiles, HuggingFacesTrainerTakesFsdp2SinceJune2026)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    for (const char *name : {"hf-trainer@4.46", "hf-trainer@5.0", "axolotl@0.17", "llama-factory", "oumi"})
        EXPECT_EQ(applied(name, fsdp).simulated.sharder, Sharder::Fsdp1) << name;
    for (const char *name : {"hf-trainer@5.10", "hf-trainer", "trl", "axolotl"})
        EXPECT_EQ(applied(name, fsdp).simulated.sharder, Sharder::Fsdp2) << name;
    EXPECT_EQ(applied("hf-trainer", fsdp).simulated.gradientType, GradientType::Half);
}

TEST(FrameworkProfiles, AcceleratesFsdp2ReducesEachMicroBatchUntilOctober2025)
{
    const Choices fsdp2{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "fsdp2"}};
    EXPECT_EQ(applied("hf-trainer@4.54", fsdp2).gradReduce, GradReduce::MicroBatch);
    EXPECT_EQ(applied("hf-trainer@5.0", fsdp2).gradReduce, GradReduce::Step);
}

// FusedMLP of flash-attn 2.0.4: GELU is a kernel of its own on Hopper.
TEST(FrameworkProfiles, FlashAttnFusesGeluIntoItsGemmsButNotOnHopper)
{
    EXPECT_EQ(applied("flash-attn", {{"gpu", "a100-sxm-80gb"}}).simulated.gemmEpilogues, GemmEpilogues::Activation);
    EXPECT_EQ(applied("flash-attn", {{"gpu", "h100-sxm-80gb"}}).simulated.gemmEpilogues, GemmEpilogues::Bias);
    EXPECT_EQ(applied("lightning", {{"gpu", "a100-sxm-80gb"}}).simulated.gemmEpilogues, GemmEpilogues::None);
    const SimulatedOptions options = applied("flash-attn").simulated;
    EXPECT_TRUE(options.fusedAddNorm && options.packedQkv);
}

bool widensNorms(const char *framework)
{
    RunConfig config = applySetting({}, "framework", framework).value();
    ModelSpec model;
    EXPECT_TRUE(applyFramework(config, model, shipped()));
    return model.norm.fp32Weight;
}

// model.py of 0.2.0 to 0.5.13.
TEST(FrameworkProfiles, LitgptMultipliesByTheNormsWeightInFp32SinceVersion04)
{
    EXPECT_FALSE(applied("litgpt@2023-08").simulated.packedQkv);
    EXPECT_TRUE(applied("litgpt@0.2").simulated.packedQkv);
    EXPECT_FALSE(widensNorms("litgpt@0.2"));
    EXPECT_TRUE(widensNorms("litgpt@0.4"));
}

// modules/rms_norm.py of 0.4.0 and 0.5.0.
TEST(FrameworkProfiles, TorchtuneMultipliesByTheNormsWeightInFp32SinceVersion05)
{
    EXPECT_FALSE(widensNorms("torchtune@0.4"));
    EXPECT_TRUE(widensNorms("torchtune@0.5"));
}

// pytorch/loops/optimization/automatic.py and pytorch/plugins/precision/amp.py of 2.5.4, 2.5.5 and 2.6.6.
TEST(FrameworkProfiles, LightningFreesGradientsAfterTheForwardPassAndCachesNoCastsSinceVersion255)
{
    EXPECT_TRUE(applied("lightning").simulated.lateZeroGrad);
    EXPECT_FALSE(applied("litgpt").simulated.lateZeroGrad) << "it uses Fabric, and frees them after the step";
    EXPECT_TRUE(applied("lightning@2025-09-04").simulated.autocastCache);
    EXPECT_FALSE(applied("lightning@2025-09-05").simulated.autocastCache);
}

// libtorch_cpu.so of 2.6.0, 2.7.1, 2.8.0 and 2.11.0.
TEST(FrameworkProfiles, RmsNormOfPytorchIsInFp32Since27AndOneKernelSince29)
{
    const auto changes = [](const char *torch) {
        return applied("pytorch", {{"torch", torch}}).simulated.torchChanges;
    };
    EXPECT_FALSE(changes("2.6").wideRmsNorm);
    EXPECT_TRUE(changes("2.7").wideRmsNorm);
    EXPECT_FALSE(changes("2.8").fusedRmsNorm);
    EXPECT_TRUE(changes("2.9").fusedRmsNorm);
}

// models/llama3/infra/parallelize.py of 0.1.0 and 0.2.0 to 0.2.2.
TEST(FrameworkProfiles, TorchtitanShardsByFsdp2AndItsEndsApartSinceTheSummerOf2025)
{
    EXPECT_FALSE(applied("torchtitan@0.1", {{"parallel", "fsdp-full"}}).simulated.splitUnits);
    EXPECT_TRUE(applied("torchtitan@0.2", {{"parallel", "fsdp-full"}}).simulated.splitUnits);
    EXPECT_EQ(applied("torchtitan@0.2.2", {{"parallel", "fsdp-full"}, {"gpus", "4"}, {"tp", "2"}}).simulated.sharder,
        Sharder::Fsdp2);
}

// trainer/sft_trainer.py of 0.25.1 and 0.26.0.
TEST(FrameworkProfiles, TrlKeepsAdaptersOfQuantizedModelsInBf16SinceVersion026)
{
    EXPECT_FALSE(applied("trl@2025-11-12", {{"lora_rank", "16"}, {"frozen_weights", "nf4"}}).simulated.halfAdapters);
    EXPECT_TRUE(applied("trl@0.26", {{"lora_rank", "16"}, {"frozen_weights", "nf4"}}).simulated.halfAdapters);
    EXPECT_FALSE(applied("trl@0.26", {{"lora_rank", "16"}}).simulated.halfAdapters);
}

// solver/optimizer/fsdp_optimizer.py of 0.2.2.
TEST(FrameworkProfiles, InternEvoHasFp32CopiesOfAHalfModel)
{
    EXPECT_TRUE(applied("internevo", {{"parallel", "fsdp-full"}, {"precision", "bf16-mixed"}}).simulated.halfModel);
    EXPECT_FALSE(applied("internevo", {{"parallel", "fsdp-full"}}).simulated.flatGradients);
}

TEST(FrameworkProfiles, TransformersOfEarly2024PassesLlamaAMaskOfAllScores)
{
    EXPECT_FALSE(applied("hf-trainer@4.36").simulated.denseMask);
    EXPECT_TRUE(applied("hf-trainer@4.38").simulated.denseMask);
    EXPECT_FALSE(applied("hf-trainer@4.38", {{"attention_kernel", "flash-2"}}).simulated.denseMask);
    EXPECT_FALSE(applied("hf-trainer@4.40").simulated.denseMask);
}

TEST(FrameworkProfiles, FineTunersTakeTheLossInPartsSinceTheVersionThatDoes)
{
    EXPECT_EQ(applied("trl@1.6").simulated.lossPath, LossPath::Upcast);
    EXPECT_EQ(applied("trl@1.7").simulated.lossPath, LossPath::Fused);
    EXPECT_EQ(applied("oumi@0.9").simulated.lossPath, LossPath::Upcast) << "it requires an earlier TRL";
    EXPECT_EQ(applied("unsloth@2024.10").simulated.lossPath, LossPath::Compiled);
    EXPECT_EQ(applied("unsloth@2024.11.8").simulated.lossPath, LossPath::Fused);
    EXPECT_EQ(applied("verl@0.8").simulated.lossPath, LossPath::Compiled);
}

TEST(FrameworkProfiles, HuggingFacesAdamWIsFusedSinceBothVersionsAllowIt)
{
    EXPECT_EQ(applied("hf-trainer@4.53").optimizer, OptimizerKind::AdamWForeach);
    EXPECT_EQ(applied("hf-trainer@4.57").optimizer, OptimizerKind::AdamW);
    EXPECT_EQ(applied("hf-trainer@4.57", {{"torch", "2.7"}}).optimizer, OptimizerKind::AdamWForeach);
}

TEST(FrameworkProfiles, TransformersUpcastsTheLogitsOfHalfModelsSinceJuly2023)
{
    EXPECT_EQ(applied("hf-trainer@4.30", {{"precision", "bf16"}}).simulated.lossPath, LossPath::Bf16Released);
    EXPECT_EQ(applied("hf-trainer@4.30").simulated.lossPath, LossPath::Upcast) << "autocast's list has the loss";
    EXPECT_EQ(applied("hf-trainer@4.31", {{"precision", "bf16"}}).simulated.lossPath, LossPath::Upcast);
}

TEST(FrameworkProfiles, TransformersCopiesItsLogitsBefore449)
{
    const Choices half{{"precision", "bf16"}};
    EXPECT_EQ(applied("hf-trainer@4.30", half).simulated.logitsCopy, LogitsCopy::BeforeUpcast);
    EXPECT_EQ(applied("hf-trainer@4.40", half).simulated.logitsCopy, LogitsCopy::AfterUpcast);
    EXPECT_EQ(applied("hf-trainer@4.46", half).simulated.logitsCopy, LogitsCopy::InLoss);
    EXPECT_EQ(applied("llama-factory@0.9", half).simulated.logitsCopy, LogitsCopy::AfterUpcast) << "of September 2024";
    EXPECT_EQ(applied("axolotl@0.5", half).simulated.logitsCopy, LogitsCopy::InLoss) << "of November 2024";
    EXPECT_EQ(applied("hf-trainer@4.49", half).simulated.logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("hf-trainer", half).simulated.logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("xtuner", half).simulated.logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("xtuner@2024-05", half).simulated.logitsCopy, LogitsCopy::AfterUpcast);
}

TEST(FrameworkProfiles, TorchtunesThirdReleaseChunksItsLossAndFusesItsOptimizer)
{
    const RunConfig second = applied("torchtune@0.2", {{"gpus", "8"}, {"parallel", "fsdp-full"}}),
                    third = applied("torchtune@0.3", {{"gpus", "8"}, {"parallel", "fsdp-full"}});
    EXPECT_EQ(second.simulated.sharder, Sharder::Fsdp1);
    EXPECT_EQ(second.optimizer, OptimizerKind::AdamWForeach);
    EXPECT_EQ(second.simulated.lossPath, LossPath::UpcastHeld);
    EXPECT_EQ(second.simulated.logitsCopy, LogitsCopy::AfterUpcast);
    EXPECT_EQ(third.simulated.sharder, Sharder::Fsdp2);
    EXPECT_EQ(third.optimizer, OptimizerKind::AdamW);
    EXPECT_EQ(third.simulated.lossPath, LossPath::Chunked);
}

TEST(FrameworkProfiles, TorchtitanTakesCudnnOnBlackwellFirstAndChunksItsLossSinceItsThirdRelease)
{
    EXPECT_EQ(applied("torchtitan@0.1").simulated.attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(applied("torchtitan@0.1", {{"gpu", "b200-sxm-180gb"}}).simulated.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(applied("torchtitan@0.2.2").simulated.lossPath, LossPath::Upcast);
    EXPECT_EQ(applied("torchtitan@0.3").simulated.lossPath, LossPath::Fused);
}

// As their sources say: torchtitan 0.2.0, OLMo-core 1.7.0 and 2.0.1, Accelerate 1.13 and 1.14, torchtune 0.6.
TEST(FrameworkProfiles, EmbeddingAndHeadAreUnitsOfTheirOwnFromTheVersionThatSplitsThem)
{
    EXPECT_TRUE(applied("torchtitan@0.2").simulated.splitUnits);
    EXPECT_FALSE(applied("olmo-core@1.0").simulated.splitUnits);
    EXPECT_TRUE(applied("olmo-core@2.0").simulated.splitUnits);
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_FALSE(applied("torchtune@0.6", fsdp).simulated.splitUnits);
    Choices second = fsdp;
    second.emplace_back("sharder", "fsdp2");
    EXPECT_FALSE(applied("hf-trainer@2026-05", second).simulated.splitUnits);
    EXPECT_TRUE(applied("hf-trainer@2026-07", second).simulated.splitUnits);
    EXPECT_TRUE(applied("axolotl", second).simulated.splitUnits) << "as what it inherits from";
    EXPECT_FALSE(applied("hf-trainer@2026-05", fsdp).simulated.splitUnits);
}

// Whatever the precision: Trainer runs Transformers' models, whose norms are separate operations.
TEST(FrameworkProfiles, OnlyModelsOfTorchsOwnModulesArePlannedWithThem)
{
    EXPECT_TRUE(applied("torchtitan").simulated.torchModules);
    for (const char *precision : {"bf16", "bf16-mixed"})
        EXPECT_FALSE(applied(
            "hf-trainer", {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "fsdp2"}, {"precision", precision}})
                .simulated.torchModules);
}

// Fused AdamW, gathers that are not limited, and segments that grow: each is a default of a version.
TEST(FrameworkProfiles, DefaultsFollowTheVersionThatHasThem)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_EQ(applied("hf-trainer@4.31", fsdp).simulated.limitGathers, false);
    EXPECT_EQ(applied("hf-trainer@4.40", fsdp).simulated.limitGathers, true);
    EXPECT_EQ(applied("composer@0.14", fsdp).simulated.limitGathers, false);
    EXPECT_EQ(applied("composer@0.17", fsdp).simulated.limitGathers, true);
    EXPECT_EQ(applied("llm-foundry@0.1", fsdp).simulated.limitGathers, true) << "its scripts ask for it";
    EXPECT_EQ(applied("composer@0.12", fsdp).simulated.gatherType, GradientType::Fp32);
    EXPECT_EQ(applied("composer@0.13", fsdp).simulated.gatherType, GradientType::Half);
    EXPECT_TRUE(applied("axolotl@0.5").simulated.expandableSegments);
    EXPECT_FALSE(applied("axolotl@0.5", {{"torch", "2.1"}}).simulated.expandableSegments);
    EXPECT_TRUE(applied("unsloth").simulated.expandableSegments);
    EXPECT_TRUE(applied("llama-factory@0.9.3", fsdp).simulated.expandableSegments);
    EXPECT_FALSE(applied("llama-factory@0.8", fsdp).simulated.expandableSegments);
}

// Transformers 4.57 and 5.0, modeling_utils.py; TRL 0.26 and 0.27, sft_config.py; torchtitan 0.1 and 0.2.
TEST(FrameworkProfiles, RecomputationRepeatsWholeLayersInTheVersionsThatAskForIt)
{
    const Choices full{{"recompute", "full"}}, compiled{{"recompute", "full"}, {"compile", "true"}};
    EXPECT_FALSE(applied("hf-trainer@4.57", full).simulated.checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("hf-trainer@5.0", full).simulated.checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("hf-trainer@4.57", compiled).simulated.checkpointEarlyStop.value_or(true))
        << "a trace has no reentrant checkpoints";
    EXPECT_TRUE(applied("hf-trainer@4.57").simulated.checkpointEarlyStop.value_or(true)) << "nothing is recomputed";
    EXPECT_TRUE(applied("trl@0.27", full).simulated.checkpointEarlyStop.value_or(true));
    EXPECT_FALSE(applied("llama-factory@0.9.3", full).simulated.checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("torchtitan@0.1", full).simulated.checkpointEarlyStop.value_or(true));
    EXPECT_FALSE(applied("torchtitan@0.2", full).simulated.checkpointEarlyStop.value_or(true));
}

// Transformers 4.30, training_args.py, NO_PREFETCH; Accelerate, dataclasses.py.
TEST(FrameworkProfiles, TrainerLeavesFsdpsBackwardPrefetchOut)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_FALSE(applied("hf-trainer@4.46", fsdp).simulated.backwardPrefetch.value_or(true));
    EXPECT_FALSE(applied("axolotl@0.5", fsdp).simulated.backwardPrefetch.value_or(true));
    EXPECT_TRUE(applied("hf-trainer", fsdp).simulated.backwardPrefetch.value_or(true)) << "FSDP2 has no such option";
    EXPECT_TRUE(applied("lightning", fsdp).simulated.backwardPrefetch.value_or(true));
    EXPECT_TRUE(applied("pytorch@2024-05", fsdp).simulated.backwardPrefetch.value_or(true));
    Choices asked = fsdp;
    asked.emplace_back("backward_prefetch", "true");
    EXPECT_TRUE(applied("hf-trainer@4.46", asked).simulated.backwardPrefetch.value_or(false))
        << "as its FSDP configuration asks";
    EXPECT_FALSE(applied("pytorch@2023-01", fsdp).simulated.backwardPrefetch.value_or(true))
        << "the default of PyTorch 1.13";
}

// Composer's device_gpu.py, LitGPT's pretrain.py; allow_tf32_cublas of PyTorch 1.11 and 1.12.
TEST(FrameworkProfiles, Tf32IsOnWhereTheSoftwareTurnsItOn)
{
    const Choices fp32{{"precision", "fp32"}};
    EXPECT_TRUE(applied("composer", fp32).simulated.tf32.value_or(false));
    EXPECT_TRUE(applied("litgpt", fp32).simulated.tf32.value_or(false));
    EXPECT_FALSE(applied("hf-trainer", fp32).simulated.tf32.value_or(false));
    EXPECT_FALSE(applied("pytorch", fp32).simulated.tf32.value_or(false));
    EXPECT_TRUE(applied("pytorch", {{"torch", "1.11"}, {"precision", "fp32"}}).simulated.tf32.value_or(false));
    EXPECT_FALSE(applied("pytorch", {{"torch", "1.12"}, {"precision", "fp32"}}).simulated.tf32.value_or(false));
}

// transformers/integrations/deepspeed.py fills what its third stage's configuration leaves at "auto".
TEST(FrameworkProfiles, HuggingFacesThirdStageSumsAsManyGradientsAsTheHiddenSizeSquared)
{
    const auto bucket = [](std::string_view name, const Choices &given) {
        RunConfig config = applySetting({}, "framework", name).value();
        for (const auto &[key, value] : given)
            config = applySetting(config, key, value).value();
        ModelSpec model;
        model.hidden = 4096;
        EXPECT_TRUE(applyFramework(config, model, shipped()));
        return config.simulated.reduceBucket;
    };
    const Choices zero3{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}};
    const Choices zero2{{"gpus", "8"}, {"parallel", "fsdp-grad-op"}, {"sharder", "deepspeed"}};
    EXPECT_EQ(bucket("hf-trainer@4.46", zero3), 4096 * 4096);
    EXPECT_EQ(bucket("llama-factory", zero3), 4096 * 4096) << "it inherits the Trainer";
    EXPECT_EQ(bucket("hf-trainer@4.46", zero2), 500'000'000) << "DeepSpeed's own";
    EXPECT_EQ(bucket("deepspeed", zero3), 500'000'000);
    EXPECT_EQ(bucket("hf-trainer@4.46",
                  {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}, {"reduce_bucket", "1000"}}),
        1000);
}

TEST(FrameworkProfiles, SoftwareThatNobodyKnowsIsPlannedByTheMildestAssumption)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_EQ(applied("unknown@2023-04", fsdp).simulated.limitGathers, true);
    EXPECT_EQ(applied("pytorch@2023-04", fsdp).simulated.limitGathers, false) << "the script of one who has said so";
    const Choices kernels{{"gpus", "8"}, {"parallel", "zero1"}, {"fused_kernels", "true"}};
    EXPECT_EQ(applied("unknown@2023-09", kernels).framework, Framework::Megatron);
    EXPECT_EQ(
        applied("unknown@2023-09", {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"fused_kernels", "true"}}).framework,
        Framework::PytorchEager);
    EXPECT_EQ(applied("unknown@2023-09", fsdp).framework, Framework::PytorchEager);
}

} // namespace
} // namespace slipway
