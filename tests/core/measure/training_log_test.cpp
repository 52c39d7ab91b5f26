// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/training_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/log_grammar.h"

namespace slipway {
namespace {

Result<TrainingLog> read(const std::string &text)
{
    std::istringstream stream(text);
    return readTrainingLog(stream, "train.log", testing::shippedLogGrammar());
}

struct Example {
    const char *program, *line;
    LogUnit unit;
    double speed;
    std::optional<double> allocatedGib, reservedGib;
};

class Logs : public ::testing::TestWithParam<Example> {};

TEST_P(Logs, giveSpeedAndPeakMemoryAsTheirProgramPrintsThem)
{
    const Example &e = GetParam();
    const Result<TrainingLog> log = read(std::string("some other line\n") + e.line + "\n");
    ASSERT_TRUE(log) << e.program << ": " << log.error().message();
    ASSERT_TRUE(log->speed) << e.program;
    EXPECT_EQ(log->unit, e.unit) << e.program;
    EXPECT_NEAR(*log->speed / e.speed, 1, 1e-6) << e.program;
    EXPECT_EQ(log->allocated.has_value(), e.allocatedGib.has_value()) << e.program;
    EXPECT_EQ(log->reserved.has_value(), e.reservedGib.has_value()) << e.program;
    EXPECT_NEAR(double(log->allocated.value_or(0)) / double(kGiB), e.allocatedGib.value_or(0), 1e-3) << e.program;
    EXPECT_NEAR(double(log->reserved.value_or(0)) / double(kGiB), e.reservedGib.value_or(0), 1e-3) << e.program;
}

INSTANTIATE_TEST_SUITE_P(Programs, Logs,
    ::testing::Values(
        Example{"nanoGPT", "iter 10: loss 4.2031, time 135.22ms, mfu 40.10%", LogUnit::StepSeconds, 0.13522, {}, {}},
        Example{"Megatron-LM",
            " [2026-01-02 03:04:05] iteration       10/     100 | consumed samples:         5120 | elapsed time per "
            "iteration (ms): 1234.5 | throughput per GPU (TFLOP/s/GPU): 250.1 | learning rate: 1.5E-04 | global batch "
            "size:   512 |",
            LogUnit::StepSeconds, 1.2345, {}, {}},
        Example{"Megatron-LM's throughput alone", "throughput per GPU (TFLOP/s/GPU): 250.1 |", LogUnit::TflopsPerGpu,
            250.1, {}, {}},
        Example{"torchtitan",
            "[rank0]:\x1b[31mstep: 10  \x1b[32mloss:  7.1234  \x1b[33mmemory: 35.50GiB(44.9%)  \x1b[34mtps: 7,123  "
            "\x1b[36mtflops: 412.50  \x1b[35mmfu: 41.7%",
            LogUnit::TokensPerGpu, 7123, {}, 35.5},
        Example{"torchtitan of 2024", "step: 10 loss: 7.1 memory: 47.00GiB(49.4%) wps: 1,234 mfu: 41.7%",
            LogUnit::TokensPerGpu, 1234, {}, 47.0},
        Example{"torchtune",
            "Step 10 | loss:1.2 lr:2e-05 tokens_per_second_per_gpu:1834.5 peak_memory_active:12.3 "
            "peak_memory_alloc:12.1 peak_memory_reserved:14.5",
            LogUnit::TokensPerGpu, 1834.5, 12.1, 14.5},
        Example{"llm.c",
            "step   10/18865 | loss 7.6 (+nanz)| norm 1.2 (+nanz)| lr 2.0e-05 | 345.67 ms | 41.2% bf16 MFU | 1517123 "
            "tok/s",
            LogUnit::AllTokens, 1517123, {}, {}},
        Example{"a PyTorch script",
            "step    10 | loss: 6.105 | lr 1.0e-4 | norm: 1.02 | dt: 338.21ms | tok/sec: 1,550,123.4 | "
            "max_memory_allocated: 23.5 GiB",
            LogUnit::AllTokens, 1550123.4, 23.5, {}},
        Example{"the number before its unit", "Epoch 1: 12,345 tokens/s, peak memory: 24064 MiB", LogUnit::AllTokens,
            12345, 23.5, {}},
        Example{"a percentage behind the unit", "98765 tok/s 40.1% MFU", LogUnit::AllTokens, 98765, {}, {}},
        Example{"Hugging Face",
            "{'train_runtime': 123.4, 'train_samples_per_second': 12.3, 'train_steps_per_second': 0.4, 'train_loss': "
            "3.1}",
            LogUnit::StepsPerSecond, 0.4, {}, {}},
        Example{"a progress bar", " 10%|#         | 10/100 [00:12<01:48,  1.25s/it, loss=3.2]", LogUnit::StepSeconds,
            1.25, {}, {}},
        Example{"a faster progress bar", " 10%|#         | 10/100 [00:12<01:48,  1.25it/s]", LogUnit::StepsPerSecond,
            1.25, {}, {}},
        Example{"DeepSpeed",
            "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=12.5, CurrSamplesPerSec=12.6, "
            "MemAllocated=5.18GB, MaxMemAllocated=12.3GB",
            LogUnit::Sequences, 12.5, 12.3, {}},
        Example{"llm-foundry", "Train throughput/device/tokens_per_sec: 15321.5, memory/peak_reserved_mem: 42.0",
            LogUnit::TokensPerGpu, 15321.5, {}, 42e9 / double(kGiB)},
        Example{"OLMo", "throughput/device/tokens_per_second=16,384 | System/Peak GPU Memory (MB)=31,232",
            LogUnit::TokensPerGpu, 16384, 31232e6 / double(kGiB), {}},
        Example{"nanotron",
            "[INFO|DP=0|PP=0|TP=0]: iteration: 9 / 1000 | consumed_tokens: 2.1M | elapsed_time_per_iteration_ms: 250 | "
            "tokens_per_sec: 262K | tokens_per_sec_per_gpu: 32.8K | cuda_memory_allocated: 15.2G | "
            "cuda_max_memory_reserved: 33.2G",
            LogUnit::TokensPerGpu, 32800, {}, 33.2e9 / double(kGiB)},
        Example{"picotron",
            "[rank 0] Step: 3     | Loss: 10.91 | Tokens/s: 262.1K | Tokens/s/GPU: 32.8K | Tokens: 196.5K/2M | MFU: "
            "40.12% | Memory usage:  33.20GB",
            LogUnit::TokensPerGpu, 32800, {}, 33.2e9 / double(kGiB)},
        Example{"NeMo",
            "Training epoch 0, iteration 3/99 | lr: 1.5e-05 | global_step: 3 | reduced_train_loss: 10.9 | "
            "train_step_timing in s: 0.253",
            LogUnit::StepSeconds, 0.253, {}, {}},
        Example{"axolotl",
            "{'loss': 1.2, 'memory/max_mem_active(gib)': 30.12, 'memory/max_mem_allocated(gib)': 29.9, "
            "'memory/device_mem_reserved(gib)': 33.1, 'tokens_per_second_per_gpu': 16384.0}",
            LogUnit::TokensPerGpu, 16384, 29.9, 33.1},
        Example{"a script that counts thousands", "step=3 tokens/s=1.31M max_mem=30.5GB", LogUnit::AllTokens, 1.31e6,
            30.5e9 / double(kGiB), {}},
        Example{"thousands before their unit", "[3/1000] loss 3.21 | 131.1k tok/s | peak mem 31,232 MiB | 250 ms/step",
            LogUnit::AllTokens, 131100, 30.5, {}},
        Example{
            "milliseconds before their step", "[3/1000] loss 3.21 | 250 ms/step", LogUnit::StepSeconds, 0.25, {}, {}},
        Example{"our own metrics",
            R"({"v":1,"step":12,"step_s":0.51,"tokens_per_s":9.6e4,"loss":4.2,"allocated_peak":1073741824})",
            LogUnit::AllTokens, 96000, 1.0, {}}));

TEST(Log, ofMegatronGivesItsPeaksInBinaryMegabytes)
{
    const TrainingLog log = read("[Rank 0] (after 1 iterations) memory (MB) | allocated: 12345.6 | max allocated: "
                                 "23456.0 | reserved: 25000.0 | max reserved: 25600.0\n")
                                .value();
    EXPECT_FALSE(log.speed);
    EXPECT_EQ(log.allocated, 23456 * kMiB);
    EXPECT_EQ(log.reserved, 25600 * kMiB);
}

TEST(Log, thatAShellOfWindowsWroteIsReadAsAnyOther)
{
    std::string wide = "\xff\xfe";
    for (const char c : std::string("iter 10: loss 4.2031, time 135.22ms, mfu 40.10%\r\n"))
        wide += {c, '\0'};
    EXPECT_NEAR(read(wide).value().speed.value(), 0.13522, 1e-6);
}

TEST(Log, countsTheMedianWithoutTheFirstLines)
{
    const TrainingLog log = read("time per step: 60 s\ntime per step: 9 s\ntime per step: 1.0 s\ntime per step: 1.2 "
                                 "s\rtime per step: 1.1 s\ntime per step: nan\ntime per step: -3 s\n")
                                .value();
    EXPECT_NEAR(*log.speed, 1.1, 1e-6);
    EXPECT_EQ(log.used, 3U);
    EXPECT_EQ(log.leftOut, 2U);
    EXPECT_EQ(log.unusable, 2U);
}

TEST(Log, ofTheFirstStepAloneIsRefusedWithWhatIsNeeded)
{
    for (const char *line :
        {"iter 0: loss 10.9, time 5123.10ms, mfu -100.00%", "step: 1 loss: 12.2 memory: 30.50GiB(38.6%) tps: 123",
            "Step 0 | loss:1.2 tokens_per_second_per_gpu:18.5 peak_memory_alloc:12.1",
            " iteration        1/     100 | elapsed time per iteration (ms): 31234.5 |",
            R"({"v":1,"step":0,"step_s":9.51,"tokens_per_s":9.6e2})"}) {
        const Result<TrainingLog> log = read(std::string("compiling\n") + line + "\n" + line + "\n");
        ASSERT_FALSE(log) << line;
        EXPECT_NE(log.error().message().find("the first one"), std::string::npos) << line;
        EXPECT_NE(log.error().message().find("(accepted: a log with five or more later steps"), std::string::npos)
            << line;
    }
}

TEST(Log, countsNoFirstStepWhereLaterOnesAreThere)
{
    const TrainingLog log =
        read("iter 0: loss 10.9, time 5000.00ms\niter 1: loss 9.9, time 200.00ms\niter 2: loss 9.9, time 210.00ms\n")
            .value();
    EXPECT_EQ(log.used, 2U);
    EXPECT_EQ(log.leftOut, 1U);
    EXPECT_LT(*log.speed, 1);
    EXPECT_NEAR(*read("iter 1: loss 9.9, time 200.00ms\niter 0: loss 9.9, time 5000.00ms\n").value().speed, 0.2, 1e-6);
    EXPECT_NEAR(*read("iteration 100/ 500 | elapsed time per iteration (ms): 200.0 |\n").value().speed, 0.2, 1e-6)
        << "the first line of a log that is not written at each step";
}

TEST(Log, withoutAUsableLineIsRefusedWithWhatWouldBeAccepted)
{
    EXPECT_NE(read("").error().message().find("train.log: no line reports the speed"), std::string::npos);
    EXPECT_NE(read("loss: 3.2\nloss: 3.1\n").error().message().find("tok/sec"), std::string::npos);
    EXPECT_NE(read("tokens/s: nan\ntokens/s: inf\n").error().message().find("although 2 lines mention one"),
        std::string::npos);
    EXPECT_FALSE(read("step 30 tokens/s: 1e400\n")) << "the step is not taken for the speed";
    EXPECT_FALSE(read("tps: 7" + std::string(45, '3') + "\n")) << "no speed, and more than a float holds";
    EXPECT_FALSE(read("max_memory_allocated: 1e300 GiB\n")) << "no memory, and more than an integer holds";
    EXPECT_FALSE(read("visit https://example.org/tps\n")) << "no unit within a word";
    EXPECT_FALSE(read("peak memory: 23.5\n")) << "a number of unknown unit is not guessed";
    EXPECT_FALSE(read("\x01\x02 dt: 135 ms\nxy\x10 dt: 140 ms\ndt: 133 ms\x04\n")) << "a file that is no text";
    EXPECT_TRUE(read("\x1b[32mdt: 135 ms\x1b[0m\n\tdt: 133 ms\n")) << "coloured";
}

TEST(Log, ofBinaryGarbageNeitherCrashesNorCounts)
{
    std::string garbage(300'000, '\0');
    for (std::size_t i = 0; i < garbage.size(); ++i)
        garbage[i] = static_cast<char>(i * 7919 >> 3);
    EXPECT_FALSE(read(garbage));
    const TrainingLog log = read(garbage + "\ntokens/s: 1e3\n" + std::string(100'000, 'x') + "tokens/s: 5\n").value();
    EXPECT_EQ(log.used, 1U) << "what stands beyond the longest line is not read";
    EXPECT_DOUBLE_EQ(*log.speed, 1000);
}

} // namespace
} // namespace slipway
