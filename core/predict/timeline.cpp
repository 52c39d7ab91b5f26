// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "predict/op_location.h"
#include "speed/collective_time.h"
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
        .standsFor = played.standsFor,
        .stream = played.op.stream,
        .phase = played.op.phase,
        .cost = kernel.cost,
        .start = played.start,
        .end = played.end,
        .bytes = kernel.messageBytes > 0 ? kernel.messageBytes : kernel.bytesRead + kernel.bytesWritten,
        .flops = kernel.flops,
        .algorithm =
            kernel.group == GroupId::None
                ? ""
                : std::string(enumName(
                      collectiveOf(kernel, plan.groups[static_cast<std::size_t>(kernel.group)], rates).algorithm))};
}

Json metaEvent(const char *what, std::size_t thread, const std::string &name)
{
    return {{"name", what}, {"ph", "M"}, {"pid", 0}, {"tid", thread}, {"args", {{"name", name}}}};
}

} // namespace

Result<Timeline> timelineOf(const RunConfig &config, const Catalogue &catalogue, std::size_t stage)
{
    const Result<Subject> subject = resolveSubject(config, catalogue);
    if (!subject)
        return subject.error();
    const Result<RunPlan> run = buildPlan(subject->config, subject->model);
    if (!run)
        return run.error();
    const StepPlan &plan = stageOf(*run, stage);
    Timeline timeline;
    const DeviceRates rates = calibratedRates(*subject, catalogue);
    const StepTimes times = simulateStep(plan, rates, [&](const SimulatedOp &played) {
        if (played.end > played.start)
            timeline.ops.push_back(timelineOp(plan, rates, played));
    });
    timeline.step = times.step;
    for (const TimelineOp &op : timeline.ops)
        timeline.drawn = std::max(timeline.drawn, op.end);
    return timeline;
}

// The format's own unit is the microsecond: "Trace Event Format", complete events.
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
        if (op.standsFor > 1)
            arguments["stands_for"] = op.standsFor;
        text += ",\n" + Json{{"name", op.name}, {"cat", enumName(op.cost)}, {"ph", "X"}, {"ts", op.start * 1e6},
                            {"dur", (op.end - op.start) * 1e6}, {"pid", 0},
                            {"tid", static_cast<std::size_t>(op.stream)}, {"args", arguments}}
                            .dump();
    }
    return text + "\n]}\n";
}

} // namespace slipway
