// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How far predictions are from what Slipway's own trainer, and Transformers beside it, did on one H200
// (docs/measurements). No constant of the speed was fitted to these runs. The memory that libraries allocate beside the
// arena was learned from one of them, so they hold it to what is known and do not judge it. A line that may only come
// down.
#include <gtest/gtest.h>

#include "measure/validate.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

Validation validated(const char *table)
{
    const auto folder = std::filesystem::path(SLIPWAY_TEST_DATA) / "../../docs/measurements";
    return validate(readMeasurements(folder / table, catalogue()).value(), catalogue());
}

double meanError(const Validation &v, const std::string &source, const std::string &metric)
{
    for (const ErrorSummary &s : v.summary) {
        if (s.by == "source" && s.value == source && s.metric == metric)
            return s.meanAbsolute;
    }
    ADD_FAILURE() << "no " << metric << " of " << source;
    return 1;
}

TEST(OwnRuns, OnAnH200TakeTheMemoryThatWasPlanned)
{
    EXPECT_LE(meanError(validated("h200.csv"), "slipway", "peak_mem_gib"), 0.003);
    EXPECT_LE(meanError(validated("h200-grid.csv"), "slipway", "peak_mem_gib"), 0.003);
}

TEST(OwnRuns, OnAnH200FitOrDoNotFitAsPredicted)
{
    const Validation v = validated("h200.csv");
    EXPECT_EQ(v.verdicts.falseOom, 0);
    EXPECT_EQ(v.verdicts.missedOom, 0);
}

TEST(OwnRuns, OnAnH200AreAboutAsFastAsPredicted)
{
    EXPECT_LE(meanError(validated("h200.csv"), "slipway", "tokens_per_s_per_gpu"), 0.055);
    EXPECT_LE(meanError(validated("h200-grid.csv"), "slipway", "tokens_per_s_per_gpu"), 0.079);
}

TEST(OwnRuns, TransformersOnTheSameH200NeedsTheMemoryAndTheTimeThatWerePredicted)
{
    const Validation v = validated("h200.csv");
    EXPECT_LE(meanError(v, "transformers", "peak_mem_gib"), 0.04);
    EXPECT_LE(meanError(v, "transformers", "tokens_per_s_per_gpu"), 0.117);
}

} // namespace
} // namespace slipway
