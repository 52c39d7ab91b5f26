// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A step as it is played on its streams: what the timeline draws and the Chrome trace holds.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "plan/step_plan.h"
#include "predict/assess.h"

namespace slipway {

struct TimelineOp {
    std::string name; // "block/op"
    int layer = -1;   // whose weights an op gathers, else the one that it is of; -1: outside the layers
    int microBatch = 0;
    int repetitions = 1; // alike repetitions that are not drawn one by one, this one included
    Stream stream = Stream::Compute;
    Phase phase = Phase::Forward;
    CostClass cost = CostClass::Elementwise;
    Seconds start = 0, end = 0; // from the step's begin
    Bytes bytes = 0;            // moved in device memory, or of the message
    Flops flops = 0;
    std::string algorithm; // of a collective: ring, tree, nvls, pairwise
};

// A pass of a micro-batch through a stage of a pipeline, or a bubble: the stage waits for another one.
struct StageInterval {
    int stage = 0, modelChunk = 0;
    std::int64_t microBatch = 0;
    PipelinePass pass = PipelinePass::None; // None: a bubble
    Seconds start = 0, end = 0;
    bool operator==(const StageInterval &) const = default;
};

struct Timeline {
    std::vector<TimelineOp> ops; // in the plan's order; streams overlap
    Seconds drawn = 0;           // the last op's end: alike repetitions are there twice at most
    Seconds step = 0;            // with all of them
    std::vector<StageInterval>
        stageIntervals;    // of all stages of our own trainer's pipeline, by stage, then by time; else empty
    Seconds stagesEnd = 0; // the last one's end
};

// Ops of a pipeline stage, from 0; intervals of all. Ops that take no time (views) are left out.
Result<Timeline> timelineOf(const RunConfig &config, const Catalogue &catalogue, std::size_t stage = 0);

// Trace events as Perfetto and chrome://tracing open them: a process with a thread for each stream, and for a pipeline
// one with a thread for each stage.
std::string chromeTrace(const Timeline &timeline, const std::string &name);

} // namespace slipway
