// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Predictions by hand, so that what a page says can be worked out on paper.
#pragma once

#include "predict/predict.h"
#include "ui/plan/plan_document.h"

namespace slipway::ui {

// 80 GiB card; the peak is 7.5 GiB a sequence of the micro-batch: 8 fit with 20 GiB to spare, 16 do not.
inline Prediction examplePrediction(const RunConfig &config = {})
{
    Prediction p;
    p.config = config;
    settleChoices(p.config); // as predict() does
    p.model = {.name = "tiny",
        .layers = 2,
        .hidden = 64,
        .attention = {.heads = 1, .kvHeads = 1, .headDim = 64},
        .mlp = {.width = 172},
        .vocab = 1000};
    p.gpu = {.id = "card", .name = "Card 80GB", .memoryBytes = 80 * kGiB};
    MemoryPrediction &m = p.memory;
    m.capacity = 80 * kGiB;
    m.outsideAllocator = 1 * kGiB;
    m.peak = config.microBatch * 15 * kGiB / 2;
    m.peakP10 = m.peak - 2 * kGiB;
    m.peakP90 = m.peak + 3 * kGiB;
    m.peakReserved = m.peak - m.outsideAllocator;
    m.peakAllocated = m.peakReserved - 2 * kGiB;
    m.headroom = m.capacity - m.peak;
    m.verdict = m.headroom < 0 ? Verdict::Oom : m.headroom < 4 * kGiB ? Verdict::Tight : Verdict::Fits;
    m.maxMicroBatch = 10;
    m.peakAt = {.phase = Phase::Backward, .op = "loss/logits", .layer = -1};
    m.atPeak[static_cast<std::size_t>(Role::Parameter)] = 10 * kGiB;
    m.atPeak[static_cast<std::size_t>(Role::Activation)] = m.peakAllocated - 10 * kGiB;
    SpeedPrediction &s = p.speed;
    s.step = 0.5;
    s.stepP10 = 0.4;
    s.stepP90 = 0.8;
    s.tokensPerSecond = static_cast<double>(config.tokensPerStep()) / s.step;
    s.tokensPerSecondPerGpu = s.tokensPerSecond / config.parallel.gpus;
    s.mfu = 0.4125;
    s.mfuCausal = 0.39;
    s.hfu = 0.52;
    s.seconds = {0.3, 0.05, 0.05, 0.02, 0.03, 0.2};
    s.communicationExposed = 0.05;
    p.cost.priceBook = "book";
    p.cost.priceDate = "2026-01";
    p.cost.usdPerHour = 36.0;
    p.cost.usdPerBillionTokens = 610.35;
    p.cost.tokens = 1'000'000'000;
    p.cost.hours = 10.0;
    p.cost.usd = 360.0;
    p.suggestions = {{.change = {{"recompute", "full"}},
        .why = "keeps one block's activations",
        .peak = m.peak / 2,
        .tokensPerSecond = s.tokensPerSecond * 0.8,
        .usdPerBillionTokens = 762.94}};
    return p;
}

inline MemoryOverStep exampleMemory()
{
    MemoryOverStep memory;
    for (int i = 0; i < 6; ++i) {
        MemoryOverStep::Point point{.op = "block/op" + std::to_string(i),
            .layer = i < 5 ? i : -1,
            .phase = i < 3   ? Phase::Forward
                     : i < 5 ? Phase::Backward
                             : Phase::Optimizer};
        point.bytes[static_cast<std::size_t>(Role::Parameter)] = 10 * kGiB;
        point.bytes[static_cast<std::size_t>(Role::Activation)] = (i < 3 ? i : 5 - i) * 20 * kGiB;
        memory.points.push_back(point);
    }
    return memory;
}

inline Planner examplePlanner()
{
    return {[](const RunConfig &config) -> Result<Prediction> {
                if (config.parallel.gpus == 3)
                    return Error{.what = "3 ranks cannot be laid out", .where = "--gpus", .accepted = "1, 2, 4"};
                return examplePrediction(config);
            },
        [](const RunConfig &, std::size_t) -> Result<MemoryOverStep> { return exampleMemory(); }};
}

} // namespace slipway::ui
