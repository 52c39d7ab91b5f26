// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/initial_weights.h"
#include "plan/build_plan.h"

namespace slipway::testing {

inline ModelSpec smallModel()
{
    return {.name = "small",
        .layers = 3,
        .hidden = 48,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 12},
        .mlp = {.width = 80},
        .vocab = 97};
}

inline RunConfig smallConfig()
{
    RunConfig config;
    config.microBatch = 2;
    config.seqLen = 80; // one block of attention and a part of another
    config.precision = Precision::Fp32;
    return config;
}

inline StepPlan planOf(const RunConfig &config, const ModelSpec &model)
{
    return std::move(buildPlan(config, model).value().stages.front());
}

struct Batch {
    std::vector<std::int32_t> tokens, targets;
    [[nodiscard]] StepInput input() const { return {tokens, targets}; }
};

// Ids that repeat, so that rows of the embedding are met more than once.
inline Batch randomBatch(std::int64_t count, int vocab, std::uint64_t seed)
{
    Batch batch;
    for (std::int64_t i = 0; i < count; ++i) {
        const Philox random = philox(static_cast<std::uint64_t>(i), 7, seed);
        batch.tokens.push_back(static_cast<std::int32_t>(random.words[0] % static_cast<std::uint32_t>(vocab)));
        batch.targets.push_back(static_cast<std::int32_t>(random.words[1] % static_cast<std::uint32_t>(vocab)));
    }
    return batch;
}

using Gradients = std::map<std::string, std::vector<float>>;

inline std::unique_ptr<Executor> executorOf(const StepPlan &plan, const ModelSpec &model, Communicator &communicator,
    std::uint64_t seed = 1, BackendKind backend = BackendKind::Host)
{
    Result<std::unique_ptr<Executor>> executor =
        Executor::create(plan, model, communicator, {.backend = backend, .seed = seed, .threads = 2});
    if (!executor)
        throw std::runtime_error(executor.error().message());
    (*executor)->downloadWeights(); // a device's host copies are given back once they are uploaded
    return std::move(*executor);
}

// The gradient of this rank's part of every weight under the weight's name, as the optimizer reads it; nothing at other
// ops. Of Muon's ops, the first ones read the gradient, and the last ones write the weights.
inline void recordGradients(Executor &executor, const OpEvent &event, Gradients &gradients)
{
    thread_local Use unit; // each rank is a thread
    const bool adamW = event.op.name == "adamw";
    if (adamW || event.op.name.ends_with("momentum"))
        unit = event.op.reads[0];
    unit.offset = 0; // Muon reads one matrix after another
    if (!event.before || !(adamW || (event.op.name.ends_with("_update") && event.op.writes.size() == 2)))
        return;
    const auto *gradient = reinterpret_cast<const float *>(executor.bytesOf(unit, event.slot, event.microBatch).data());
    for (const WeightView &weight : executor.weights()) {
        if (weight.flat != event.op.writes[1].buffer || weight.layer != event.slot.index)
            continue;
        std::vector<float> &values = gradients[weight.name];
        values.clear();
        weight.forEachRun([&](std::int64_t, std::int64_t place, std::int64_t count) {
            const float *const from = gradient + weight.place + place;
            values.insert(values.end(), from, from + count);
        });
    }
}

inline void collectGradients(Executor &executor, Gradients &gradients)
{
    executor.setObserver(
        [&executor, &gradients](const OpEvent &event) { recordGradients(executor, event, gradients); });
}

// |a - b| / |b|
double relativeDistance(const std::vector<float> &a, const std::vector<float> &b);
// How far all gradients together are from the exact ones.
double distanceOfAll(const Gradients &gradients, const Gradients &exact);

} // namespace slipway::testing
