// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/log_batch.h"

#include <gmock/gmock.h>

#include <sstream>

#include "frameworks/log_line.h"

namespace slipway {

void PrintTo(const BatchConflict &conflict, std::ostream *out)
{
    *out << conflict.logged.size << " of the log, " << conflict.planned << " planned";
}

namespace {

using ::testing::Optional;

// 4 sequences of 1024 tokens, twice.
const RunConfig kPlan{.microBatch = 4, .seqLen = 1024, .gradAccum = 2};

std::optional<BatchConflict> conflict(const std::string &text)
{
    LoggedBatchReader reader;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        reader.take(normalizedLogLine(line));
    return batchConflict(reader.batch(), kPlan);
}

struct StatedBatch {
    const char *line;
    bool inTokens;
    std::int64_t batch;
};

class BatchesOfLogs : public ::testing::TestWithParam<StatedBatch> {};

TEST_P(BatchesOfLogs, areComparedWithThatOfTheConfiguration)
{
    const StatedBatch &e = GetParam();
    EXPECT_THAT(conflict(std::string("loading\n") + e.line + "\niter 1: loss 4.2, time 135.22ms\n"),
        Optional(BatchConflict{.logged = {.inTokens = e.inTokens, .size = e.batch}, .planned = e.inTokens ? 8192 : 8}));
}

INSTANTIATE_TEST_SUITE_P(Programs, BatchesOfLogs,
    ::testing::Values(StatedBatch{"tokens per iteration will be: 491,520", true, 491520},
        StatedBatch{"total desired batch size: 524288", true, 524288},
        StatedBatch{"batch_size B=64 * seq_len T=1024 * num_processes=8 and total_batch_size=524288", true, 524288},
        StatedBatch{"training with 65536 tokens per step", true, 65536},
        StatedBatch{"  Total train batch size (w. parallel, distributed & accumulation) = 64", false, 64},
        StatedBatch{" iteration  10/ 500 | elapsed time per iteration (ms): 1234.5 | throughput per GPU (TFLOP/s/GPU): "
                    "250.1 | learning rate: 1.5E-04 | global batch size:   512 |",
            false, 512},
        StatedBatch{"[titan] Trainer is initialized with local batch size 8, global batch size 64, gradient "
                    "accumulation steps 1, sequence length 8192, total steps 1000",
            false, 64}));

TEST(BatchOfALog, isNoConflictWhereItIsThatOfTheConfiguration)
{
    for (const char *line : {"tokens per iteration will be: 8,192", "global batch size:     8 |",
             "Total train batch size (w. parallel, distributed & accumulation) = 8", "tokens_per_step: 8.19K"})
        EXPECT_EQ(conflict(line), std::nullopt) << line;
}

TEST(BatchOfALog, isUnknownWhereTheWordsMeanThatOfOneGpuOrNoNumberFollows)
{
    for (const char *line : {"", "iter 10: loss 4.2031, time 135.22ms, mfu 40.10%", "batch_size = 12",
             "train_batch_size: 64", "tokens per step per GPU: 4096", "tokens per iteration will be: nan",
             "global batch size: -1", "global batch size: 1e300", "tokens per step: 0"})
        EXPECT_EQ(conflict(line), std::nullopt) << line;
}

TEST(BatchOfALog, isReadWithItsSpeeds)
{
    std::istringstream log("tokens per iteration will be: 491,520\niter 10: loss 4.2, time 135.22ms\n");
    const LogGrammar grammar{.forms = {{.words = "time", .is = LogQuantity::StepSeconds, .scale = 1e-3}}};
    const Result<TrainingLog> read = readTrainingLog(log, "log", grammar);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->batch, (LoggedBatch{.inTokens = true, .size = 491520}));
}

TEST(BatchOfALog, isTheLastOneOfABatchThatRampsUp)
{
    EXPECT_EQ(conflict("global batch size: 2 |\nglobal batch size: 4 |\nglobal batch size: 8 |\n"), std::nullopt);
}

} // namespace
} // namespace slipway
