// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/bench_step.h"

#include <algorithm>
#include <chrono>

#include "exec/initial_weights.h"
#include "memory/memory_walk.h"
#include "plan/mesh.h"

namespace slipway {
namespace {

// Random ids. As in packaging/yardstick.py, every step processes the same batch, and each token's target is the next
// token.
struct RandomBatch {
    RandomBatch(const Executor &executor, int vocab, std::uint64_t seed)
    {
        const std::int64_t seqLen = executor.seqLen();
        for (std::int64_t i = 0; i < executor.tokensPerStep(); ++i)
            tokens.push_back(static_cast<std::int32_t>(
                philox(static_cast<std::uint64_t>(i), 0, seed).words[0] % static_cast<std::uint32_t>(vocab)));
        for (std::int64_t i = 0; i < executor.tokensPerStep(); ++i)
            targets.push_back(tokens[static_cast<std::size_t>((i + 1) % seqLen == 0 ? i : i + 1)]);
    }
    std::vector<std::int32_t> tokens, targets;
};

Seconds medianOf(std::vector<Seconds> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

Seconds medianOf(const std::vector<PhaseSeconds> &phases, Seconds PhaseSeconds::*member)
{
    std::vector<Seconds> values;
    for (const PhaseSeconds &phase : phases)
        values.push_back(phase.*member);
    return medianOf(std::move(values));
}

} // namespace

Result<std::unique_ptr<Executor>> benchExecutor(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, const BenchOptions &options)
{
    Result<std::unique_ptr<Executor>> created = Executor::create(plan, model, communicator,
        {.backend = options.backend,
            .seed = options.seed,
            .threads = options.threads,
            .deterministic = options.deterministic});
    if (created)
        communicator.finishStartup();
    return created;
}

Result<StepBench> benchStep(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options)
{
    if (options.steps < 1 || options.warmup < 0)
        return Error{.what = "nothing to time",
            .where = options.steps < 1 ? "--steps" : "--warmup",
            .accepted = options.steps < 1 ? "1 or more" : "0 or more"};
    const Result<std::unique_ptr<Executor>> created = benchExecutor(plan, model, communicator, options);
    if (!created)
        return created.error();
    Executor &executor = **created;
    // Ranks with the same coordinate process the same sequences.
    const MeshCoordinate coordinate = coordinateOf(plan, communicator.rank());
    const RandomBatch batch(executor, model.vocab, options.seed + static_cast<std::uint64_t>(coordinate.data));

    const MemoryPeak planned = peakMemory(plan);
    StepBench bench{.plannedPeakAllocated = planned.allocated};
    bench.plannedPeakReserved = executor.outsideMemory() ? planned.withLibraries() : planned.reserved;
    bench.params = parameterCount(model);
    std::vector<Seconds> times;
    std::vector<PhaseSeconds> phases;
    for (int step = 0; step < options.warmup + options.steps; ++step) {
        communicator.barrier();
        const auto start = std::chrono::steady_clock::now();
        const Result<StepOutcome> outcome = executor.step({batch.tokens, batch.targets},
            {.learningRate = 1e-4, .beta2 = 0.999, .weightDecay = 0.01, .step = step + 1});
        if (!outcome)
            return outcome.error();
        if (step >= options.warmup) {
            times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            phases.push_back(outcome->seconds);
        }
        (step == 0 ? bench.lossFirst : bench.lossLast) = outcome->loss;
        bench.peakAllocated = std::max(bench.peakAllocated, outcome->allocatedPeak);
        bench.peakReserved = std::max(bench.peakReserved, outcome->reservedPeak);
    }
    bench.stepMedian = medianOf(times);
    bench.stepMin = *std::min_element(times.begin(), times.end());
    bench.tokensPerSecond = static_cast<double>(executor.tokensPerStep() * plan.mesh.dataRanks()) / bench.stepMedian;
    bench.phases = {.forward = medianOf(phases, &PhaseSeconds::forward),
        .backward = medianOf(phases, &PhaseSeconds::backward),
        .optimizer = medianOf(phases, &PhaseSeconds::optimizer),
        .communication = medianOf(phases, &PhaseSeconds::communication)};
    bench.kernels = executor.description();
    bench.outside = executor.outsideMemory();
    return bench;
}

} // namespace slipway
