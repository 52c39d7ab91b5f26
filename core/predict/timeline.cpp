// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "predict/op_location.h"
#include "speed/collective_time.h"
#include "speed/graph_choice.h"
#include "speed/pipeline_time.h"
#include "speed/simulate_step.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

TimelineOp timelineOp(const StepPlan &plan, const DeviceRates &rates, const SimulatedOp &played)
{
    const Kernel &kernel = plan.at(played.op.kernel);
    const Block &block = plan.at(played.slot.block);
    return {.name = block.name + "/" + played.op.name,
        .layer = layerOf(plan, block, played.op, played.slot.index),
        .microBatch = played.microBatch,
        .repetitions = played.repetitions,
        .stream = played.op.stream,
        .phase = played.op.phase,
        .cost = kernel.cost,
        .start = played.start,
        .end = played.end,
        .bytes = kernel.messageBytes > 0 ? kernel.messageBytes : kernel.bytesRead + kernel.bytesWritten,
        .flops = kernel.flops,
        .algorithm =
            kernel.cost != CostClass::Communication || kernel.group == GroupId::None
                ? ""
                : std::string(enumName(
                      collectiveOf(kernel, plan.groups[static_cast<std::size_t>(kernel.group)], rates).algorithm))};
}

// Adds the intervals of all stages, and the gaps between them.
void addStageIntervals(
    Timeline &timeline, const RunPlan &run, const DeviceRates &rates, const RunConfig &config, const ModelSpec &model)
{
    std::vector<StageInterval> &intervals = timeline.stageIntervals;
    simulateStages(run, rates, config, model, [&intervals](const SimulatedAction &played) {
        intervals.push_back({.stage = played.stage,
            .modelChunk = played.action.modelChunk,
            .microBatch = played.action.microBatch,
            .pass = played.action.pass,
            .start = played.start,
            .end = played.end});
    });
    for (const StageInterval &interval : intervals)
        timeline.stagesEnd = std::max(timeline.stagesEnd, interval.end);
    std::vector<Seconds> now(static_cast<std::size_t>(config.parallel.pp));
    std::vector<StageInterval> bubbles;
    const auto waits = [&](int stage, Seconds until) {
        Seconds &since = now[static_cast<std::size_t>(stage)];
        if (until > since)
            bubbles.push_back({.stage = stage, .start = since, .end = until});
        since = until;
    };
    for (const StageInterval &interval : intervals) { // the intervals of each stage are in order
        waits(interval.stage, interval.start);
        now[static_cast<std::size_t>(interval.stage)] = interval.end;
    }
    for (int stage = 0; stage < config.parallel.pp; ++stage)
        waits(stage, timeline.stagesEnd);
    intervals.insert(intervals.end(), bubbles.begin(), bubbles.end());
    std::ranges::sort(
        intervals, {}, [](const StageInterval &interval) { return std::pair(interval.stage, interval.start); });
}

const char *passName(PipelinePass pass)
{
    switch (pass) {
    case PipelinePass::Forward:
        return "forward";
    case PipelinePass::Backward:
        return "backward";
    case PipelinePass::Weights:
        return "weight gradients";
    case PipelinePass::None:
        break;
    }
    return "bubble";
}

Json metaEvent(const char *what, std::size_t thread, const std::string &name, int process = 0)
{
    return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

std::string stageEvents(const Timeline &timeline)
{
    std::string text;
    int named = -1;
    for (const StageInterval &interval : timeline.stageIntervals) {
        const auto stage = static_cast<std::size_t>(interval.stage);
        if (named < 0)
            text += ",\n" + metaEvent("process_name", 0, "pipeline", 1).dump();
        if (interval.stage != named)
            text += ",\n" + metaEvent("thread_name", stage, "stage " + std::to_string(interval.stage), 1).dump();
        named = interval.stage;
        Json arguments = Json::object();
        if (interval.pass != PipelinePass::None)
            arguments = {{"micro_batch", interval.microBatch}, {"part", interval.modelChunk}};
        text += ",\n" + Json{{"name", passName(interval.pass)}, {"cat", "pipeline"}, {"ph", "X"},
                            {"ts", interval.start * 1e6}, {"dur", (interval.end - interval.start) * 1e6}, {"pid", 1},
                            {"tid", stage}, {"args", arguments}}
                            .dump();
    }
    return text;
}

} // namespace

Result<Timeline> timelineOf(const RunConfig &config, const Catalogue &catalogue, std::size_t stage)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    Result<RunPlan> run = buildPlan(resolved->config, resolved->model);
    if (!run)
        return run.error();
    const DeviceRates rates = calibratedRates(*resolved, catalogue);
    chooseGraphs(run->stages, rates);
    const StepPlan &plan = stageOf(*run, stage);
    Timeline timeline;
    const StepTimes times = simulateStep(plan, rates, [&](const SimulatedOp &played) {
        if (played.end > played.start)
            timeline.ops.push_back(timelineOp(plan, rates, played));
    });
    timeline.step = times.step;
    for (const TimelineOp &op : timeline.ops)
        timeline.drawn = std::max(timeline.drawn, op.end);
    if (resolved->config.framework == Framework::Slipway && resolved->config.parallel.pp > 1)
        addStageIntervals(timeline, *run, rates, resolved->config, resolved->model);
    return timeline;
}

// The unit of the format is the microsecond: "Trace Event Format", complete events.
std::string chromeTrace(const Timeline &timeline, const std::string &name)
{
    std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + metaEvent("process_name", 0, name).dump();
    for (std::size_t i = 0; i < EnumNames<Stream>::names.size(); ++i)
        text += ",\n" + metaEvent("thread_name", i, std::string(EnumNames<Stream>::names[i]) + " stream").dump();
    for (const TimelineOp &op : timeline.ops) {
        Json arguments{
            {"phase", enumName(op.phase)}, {"micro_batch", op.microBatch}, {"bytes", op.bytes}, {"flops", op.flops}};
        if (!op.algorithm.empty())
            arguments["algorithm"] = op.algorithm;
        if (op.layer >= 0)
            arguments["layer"] = op.layer;
        if (op.repetitions > 1)
            arguments["stands_for"] = op.repetitions;
        text += ",\n" + Json{{"name", op.name}, {"cat", enumName(op.cost)}, {"ph", "X"}, {"ts", op.start * 1e6},
                            {"dur", (op.end - op.start) * 1e6}, {"pid", 0},
                            {"tid", static_cast<std::size_t>(op.stream)}, {"args", arguments}}
                            .dump();
    }
    return text + stageEvents(timeline) + "\n]}\n";
}

} // namespace slipway
