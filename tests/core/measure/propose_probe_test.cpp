// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/propose_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/settings.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

RunConfig configOf(const SettingTexts &choices) { return applySettings({}, choices).value(); }

const SettingTexts kRun{{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"micro_batch", "4"}, {"steps", "5000"}};

// A run as predicted: only that it was measured counts here.
Observation ranAs(const RunConfig &config)
{
    Observation o{.id = "run", .resolved = resolveConfig(config, catalogue()).value()};
    o.tokensPerSecondPerGpu = assess(o.resolved, catalogue()).value().speed.tokensPerSecondPerGpu;
    return o;
}

TEST(ProposeProbe, TheFirstOfThemTellsNearlyAsMuchAsAnyAndTheRestIsInOrder)
{
    const ProbeProposal proposal = proposeProbe(configOf(kRun), {}, catalogue()).value();
    ASSERT_GT(proposal.probes.size(), 4U);
    double most = proposal.before;
    for (const Probe &probe : proposal.probes)
        most = std::min(most, probe.after);
    EXPECT_LT(proposal.probes.front().after, proposal.before);
    EXPECT_LT(proposal.probes.front().after - most, 0.05 * (proposal.before - most));
    EXPECT_TRUE(std::is_sorted(proposal.probes.begin() + 1, proposal.probes.end(),
        [](const Probe &a, const Probe &b) { return a.after < b.after; }));
}

TEST(ProposeProbe, AProbeIsThePlannedRunInShortWithOneSettingChanged)
{
    SettingTexts settings = kRun;
    settings.insert(settings.end(), {{"tokens", "1e9"}, {"grad_accum", "16"}, {"eval_every", "10"},
                                        {"checkpoint_every", "10"}, {"learning_rate", "1e-3"}});
    const RunConfig planned = configOf(settings);
    std::set<std::string> names;
    const auto proposal = proposeProbe(planned, {}, catalogue()).value();
    for (const Probe &probe : proposal.probes) {
        const RunConfig &c = probe.config;
        EXPECT_EQ(c.training.steps, kProbeSteps);
        EXPECT_EQ(c.training.evalEvery + c.training.checkpointEvery, 0);
        EXPECT_FALSE(c.tokens);
        EXPECT_EQ(c.gradAccum, 2);
        EXPECT_EQ(c.training.learningRate, planned.training.learningRate);
        EXPECT_LE(
            (c.microBatch != planned.microBatch) + (c.seqLen != planned.seqLen) + (c.recompute != planned.recompute),
            1);
        EXPECT_GT(probe.seconds, 0);
        EXPECT_TRUE(names.insert(probe.settings).second) << probe.settings;
    }
    EXPECT_TRUE(names.contains("as planned"));
    EXPECT_TRUE(names.contains("micro_batch 8"));
    EXPECT_TRUE(names.contains("seq_len 512"));
    EXPECT_TRUE(names.contains("recompute full"));
}

TEST(ProposeProbe, WhatHasBeenMeasuredIsNotProposedAgain)
{
    const RunConfig planned = configOf(kRun);
    const ProbeProposal first = proposeProbe(planned, {}, catalogue()).value();
    RunConfig made = first.probes.front().config;
    made.training.name = "probe"; // and whatever else is not of the step
    const ProbeProposal second = proposeProbe(planned, {ranAs(made)}, catalogue()).value();
    EXPECT_NEAR(second.before, first.probes.front().after, 1e-9);
    EXPECT_NE(second.probes.front().settings, first.probes.front().settings);
    EXPECT_EQ(second.probes.back().settings, first.probes.front().settings) << "it would tell least";
}

TEST(ProposeProbe, ARunOnAnotherGpuTellsNothing)
{
    const RunConfig planned = configOf(kRun);
    RunConfig other = planned;
    other.gpu = "h100-sxm-80gb";
    EXPECT_EQ(proposeProbe(planned, {ranAs(other)}, catalogue()).value().before,
        proposeProbe(planned, {}, catalogue()).value().before);
}

TEST(ProposeProbe, ProposesOnlyWhatIsLikelyToFit)
{
    SettingTexts settings = kRun;
    settings.insert(settings.end(), {{"micro_batch", "24"}, {"seq_len", "2048"}, {"framework", "pytorch-eager"}});
    const RunConfig planned = configOf(settings);
    ASSERT_EQ(ranAs(planned).resolved.config.microBatch, 24);
    const ProbeProposal proposal = proposeProbe(planned, {}, catalogue()).value();
    ASSERT_FALSE(proposal.probes.empty());
    for (const Probe &probe : proposal.probes) {
        const Assessment a = assess(resolveConfig(probe.config, catalogue()).value(), catalogue()).value();
        EXPECT_LT(a.memory.oomProbability, 0.05) << probe.settings;
        EXPECT_NE(probe.settings, "as planned");
    }
}

// A plan that is tight fits, but a probe that may run out of memory tells nothing then.
TEST(ProposeProbe, ProposesNoTightRun)
{
    SettingTexts settings = kRun;
    settings.insert(settings.end(), {{"micro_batch", "12"}, {"seq_len", "2048"}, {"framework", "pytorch-eager"}});
    const RunConfig planned = configOf(settings);
    const Assessment a = assess(resolveConfig(planned, catalogue()).value(), catalogue()).value();
    ASSERT_EQ(a.memory.verdict, Verdict::Tight);
    const ProbeProposal proposal = proposeProbe(planned, {}, catalogue()).value();
    ASSERT_FALSE(proposal.probes.empty());
    for (const Probe &probe : proposal.probes)
        EXPECT_NE(probe.settings, "as planned");
}

TEST(ProposeProbe, SaysWhereNothingWouldFit)
{
    SettingTexts settings = kRun;
    settings.emplace_back("model", "7B");
    const auto proposal = proposeProbe(configOf(settings), {}, catalogue());
    ASSERT_FALSE(proposal);
    EXPECT_NE(proposal.error().message().find("--probe"), std::string::npos);
    EXPECT_NE(proposal.error().message().find("is likely to fit"), std::string::npos);
}

TEST(ProposeProbe, PassesOnWhatIsWrongWithThePlannedRun)
{
    SettingTexts settings = kRun;
    settings.emplace_back("model", "no-such-model");
    const auto proposal = proposeProbe(configOf(settings), {}, catalogue());
    ASSERT_FALSE(proposal);
    EXPECT_NE(proposal.error().message().find("no-such-model"), std::string::npos);
}

} // namespace
} // namespace slipway
