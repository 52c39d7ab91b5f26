// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "config/settings.h"
#include "memory/memory_walk.h"
#include "predict/live_buffers.h"
#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

RunConfig eightGpus(std::int64_t gradAccum = 1)
{
    RunConfig config;
    config.model.name = "100M";
    config.gpu = "a100-sxm-80gb";
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    config.gradAccum = gradAccum;
    return config;
}

TEST(Timeline, SumsToTheSecondsThatThePredictionNames)
{
    const Timeline timeline = timelineOf(eightGpus(), catalogue()).value();
    const SpeedPrediction speed = predict(eightGpus(), catalogue()).value().speed;
    std::map<CostClass, Seconds> sums;
    for (const TimelineOp &op : timeline.ops)
        sums[op.cost] += op.end - op.start;
    for (std::size_t i = 0; i < speed.seconds.size(); ++i)
        EXPECT_NEAR(sums[static_cast<CostClass>(i)], speed.seconds[i], 1e-9) << EnumNames<CostClass>::names[i];
    EXPECT_DOUBLE_EQ(timeline.step, speed.step);
    EXPECT_NEAR(timeline.drawn, speed.step, 1e-9) << "one micro-batch: all of it is drawn";
}

TEST(Timeline, HasNoTwoOpsOnAStreamAtOnce)
{
    const Timeline timeline = timelineOf(eightGpus(4), catalogue()).value();
    std::map<Stream, Seconds> busyUntil;
    for (const TimelineOp &op : timeline.ops) {
        EXPECT_GE(op.start, busyUntil[op.stream] - 1e-12) << op.name;
        busyUntil[op.stream] = op.end;
    }
}

TEST(Timeline, SaysOfAGatherThatRunsAheadWhoseWeightsItBrings)
{
    for (const Framework framework : {Framework::Slipway, Framework::PytorchEager}) {
        RunConfig config = eightGpus();
        config.framework = framework;
        config.parallel.kind = ParallelKind::FsdpFull;
        const Timeline timeline = timelineOf(config, catalogue()).value();
        std::map<std::pair<Phase, int>, std::pair<Seconds, int>>
            gathered;                                      // by phase and layer: end of the gather, how many
        std::map<std::pair<Phase, int>, Seconds> computes; // when the layer begins to compute
        for (const TimelineOp &op : timeline.ops) {
            const auto at = std::make_pair(op.phase, op.layer);
            if (op.stream == Stream::Gather)
                gathered[at] = {op.end, gathered[at].second + 1};
            else if (op.stream == Stream::Compute && op.cost == CostClass::Gemm)
                computes.try_emplace(at, op.start);
        }
        const int layers = std::max_element(computes.begin(), computes.end(), [](const auto &a, const auto &b) {
            return a.first.second < b.first.second;
        })->first.second + 1;
        EXPECT_GT(layers, 2);
        for (const Phase phase : {Phase::Forward, Phase::Backward}) {
            for (int layer = 0; layer < layers; ++layer) {
                if (phase == Phase::Backward && layer == layers - 1)
                    continue; // the last one's weights are still there
                const auto at = std::make_pair(phase, layer);
                ASSERT_EQ(gathered[at].second, 1) << enumName(framework) << " layer " << layer;
                EXPECT_LE(gathered[at].first, computes.at(at) + 1e-12)
                    << enumName(framework) << ": layer " << layer << " computes with weights that are there";
            }
        }
    }
}

TEST(Timeline, DrawsAlikeMicroBatchesOnceAndSaysHowManyTheyAre)
{
    const Timeline timeline = timelineOf(eightGpus(16), catalogue()).value();
    EXPECT_LT(timeline.drawn, timeline.step);
    const bool said =
        std::any_of(timeline.ops.begin(), timeline.ops.end(), [](const TimelineOp &op) { return op.repetitions > 8; });
    EXPECT_TRUE(said);
}

TEST(Timeline, GoesIntoATraceWithAThreadForEachStream)
{
    const Timeline timeline = timelineOf(eightGpus(), catalogue()).value();
    const nlohmann::json trace = nlohmann::json::parse(chromeTrace(timeline, "a \"step\""));
    std::size_t complete = 0, named = 0;
    for (const auto &event : trace["traceEvents"]) {
        complete += event["ph"] == "X";
        named += event["name"] == "thread_name";
        if (event["ph"] == "X") {
            ASSERT_LE(complete, timeline.ops.size());
            const TimelineOp &op = timeline.ops[complete - 1];
            EXPECT_NEAR(event["ts"].get<double>(), op.start * 1e6, 1e-3) << "in microseconds";
            EXPECT_NEAR(event["dur"].get<double>(), (op.end - op.start) * 1e6, 1e-3) << "in microseconds";
            EXPECT_TRUE(event["args"].contains("bytes"));
        }
    }
    EXPECT_EQ(complete, timeline.ops.size());
    EXPECT_EQ(named, EnumNames<Stream>::names.size());
    EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "a \"step\"");
}

TEST(LiveBuffers, SumToTheMemoryOverTheStepAtEveryInstant)
{
    const RunPlan run = planOf(eightGpus(2), catalogue()).value();
    const StepPlan &plan = run.stages.front();
    const std::vector<MemoryInstant> instants = memoryInstants(plan);
    for (std::size_t i = 0; i < instants.size(); i += 37) {
        BytesByRole sums{};
        Bytes before = std::numeric_limits<Bytes>::max();
        for (const LiveBuffer &buffer : buffersAt(plan, i)) {
            sums[static_cast<std::size_t>(buffer.role)] += buffer.bytes;
            EXPECT_LE(buffer.bytes, before) << "largest first";
            before = buffer.bytes;
        }
        EXPECT_EQ(sums, instants[i].byRole) << "instant " << i;
    }
    EXPECT_TRUE(buffersAt(plan, instants.size()).empty());
}

TEST(Suggestions, ForSpeedAndCostAreRankedByTheirGainAndVerified)
{
    RunConfig config = eightGpus();
    config.attention = Attention::Vanilla;
    const Prediction p = predict(config, catalogue()).value();
    ASSERT_EQ(p.memory.verdict, Verdict::Fits);
    ASSERT_FALSE(p.suggestions.empty());
    bool cost = false, speed = false;
    for (std::size_t i = 0; i < p.suggestions.size(); ++i) {
        const Suggestion &s = p.suggestions[i];
        cost = cost || s.goal == Goal::Cost;
        speed = speed || s.goal == Goal::Speed;
        EXPECT_GT(s.gain, 0);
        if (i > 0) {
            EXPECT_LE(s.gain, p.suggestions[i - 1].gain);
        }
        RunConfig changed = config;
        for (const auto &[key, value] : s.change)
            changed = applySetting(std::move(changed), key, value).value();
        const Prediction then = predict(changed, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value();
        EXPECT_EQ(then.memory.peak, s.peak) << s.why;
        EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond) << s.why;
        EXPECT_EQ(then.cost.usdPerBillionTokens, s.usdPerBillionTokens) << s.why;
        if (s.goal == Goal::Speed) {
            EXPECT_NEAR(s.gain, then.speed.tokensPerSecond / p.speed.tokensPerSecond - 1, 1e-9) << s.why;
        }
        EXPECT_EQ(changed.tokensPerStep(), config.tokensPerStep()) << "the same training";
    }
    EXPECT_TRUE(cost);
    EXPECT_TRUE(speed);
    const std::string text = toText(p);
    EXPECT_NE(text.find(" % cheaper; "), std::string::npos);
    EXPECT_NE(text.find(" % faster; "), std::string::npos);
}

RunConfig ownPipeline(PipelineSchedule schedule)
{
    RunConfig config;
    config.model = {.name = "100M", .layers = 8};
    config.gpu = "cpu";
    config.precision = Precision::Fp32;
    config.parallel = {.gpus = 4, .pp = 4, .schedule = schedule};
    config.microBatch = 1;
    config.seqLen = 256;
    config.gradAccum = 6;
    return config;
}

TEST(Timeline, ShowsThePipelinesStagesSideBySideWithTheirBubbles)
{
    for (const PipelineSchedule schedule : {PipelineSchedule::OneForwardOneBackward, PipelineSchedule::ZeroBubble}) {
        const RunConfig config = ownPipeline(schedule);
        const Timeline timeline = timelineOf(config, catalogue(), 1).value();
        const Prediction prediction = predict(config, catalogue()).value();
        std::vector<Seconds> now(4), idle(4);
        std::map<std::pair<int, PipelinePass>, int> passes;
        for (const StageInterval &interval : timeline.stageIntervals) {
            const auto stage = static_cast<std::size_t>(interval.stage);
            EXPECT_NEAR(interval.start, now[stage], 1e-12) << "stage " << stage << " has a gap";
            now[stage] = interval.end;
            if (interval.pass == PipelinePass::None)
                idle[stage] += interval.end - interval.start;
            else
                ++passes[{interval.stage, interval.pass}];
        }
        for (std::size_t stage = 0; stage < 4; ++stage) {
            EXPECT_DOUBLE_EQ(now[stage], timeline.stagesEnd);
            EXPECT_NEAR(idle[stage], prediction.speed.bubbles[stage], 1e-9) << "stage " << stage;
        }
        for (const auto &[pass, count] : passes)
            EXPECT_EQ(count, 6);
        EXPECT_EQ(passes.size(), schedule == PipelineSchedule::ZeroBubble ? 12U : 8U);
        const nlohmann::json trace = nlohmann::json::parse(chromeTrace(timeline, "step"));
        const auto intervals = std::ranges::count_if(
            trace["traceEvents"], [](const nlohmann::json &event) { return event["ph"] == "X" && event["pid"] == 1; });
        EXPECT_EQ(static_cast<std::size_t>(intervals), timeline.stageIntervals.size());
    }
    EXPECT_TRUE(timelineOf(eightGpus(), catalogue())->stageIntervals.empty());
}

} // namespace
} // namespace slipway
