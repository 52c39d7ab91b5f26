// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "plan/build_plan.h"
#include "run/checkpointer.h"
#include "state/checkpoint.h"

namespace slipway {

std::int32_t drawToken(std::span<const float> logits, const SampleOptions &options, std::mt19937_64 &random)
{
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t kept = options.topK > 0 ? std::min<std::size_t>(static_cast<std::size_t>(options.topK), order.size()) : order.size();
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [&](std::int32_t a, std::int32_t b) { return std::pair(-logits[static_cast<std::size_t>(a)], a) < std::pair(-logits[static_cast<std::size_t>(b)], b); });
    if (options.temperature <= 0)
        return order.front();
    std::vector<double> weights;
    const double largest = logits[static_cast<std::size_t>(order.front())];
    for (std::size_t i = 0; i < kept; ++i)
        weights.push_back(std::exp((logits[static_cast<std::size_t>(order[i])] - largest) / options.temperature));
    double left = std::generate_canonical<double, 53>(random) * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t drawn = 0;
    while (drawn + 1 < kept && left >= weights[drawn])
        left -= weights[drawn++];
    return order[drawn];
}

Result<Sampler> Sampler::open(const RunJob &job, const SampleOptions &options)
{
    RunConfig config = job.config;
    config.microBatch = 1;
    config.gradAccum = 1;
    config.parallel = {};
    config.precision = Precision::Fp32;
    Result<RunPlan> plan = buildPlan(config, job.model);
    if (!plan)
        return plan.error();
    Sampler sampler;
    sampler.m_options = options;
    sampler.m_random.seed(options.seed);
    sampler.m_communicator = std::make_unique<SingleCommunicator>();
    sampler.m_plan = std::make_unique<StepPlan>(std::move(plan->stages.front()));
    Result<std::unique_ptr<Executor>> executor = Executor::create(*sampler.m_plan, job.model, *sampler.m_communicator);
    if (!executor)
        return executor.error();
    sampler.m_executor = std::move(*executor);
    const Result<ChosenCheckpoint> restored = CheckpointStore(job.paths.checkpoints()).restore(job.model, checkpointTensors(*sampler.m_executor));
    if (!restored)
        return restored.error();
    if (!restored->manifest)
        return Error{.what = "has no checkpoint yet", .where = job.paths.directory.string(), .accepted = "a run that has written one"};
    sampler.m_executor->uploadWeights();
    return sampler;
}

// A step's forward ops give the logits of all places, chunk by chunk. Attention is causal: the padding behind the last id
// does not change that id's logits.
Result<void> Sampler::readLogits(std::span<const std::int32_t> ids)
{
    const auto length = static_cast<std::size_t>(m_executor->seqLen());
    ids = ids.last(std::min(ids.size(), length));
    std::vector<std::int32_t> tokens(ids.begin(), ids.end());
    tokens.resize(length, tokens.back());
    const auto place = static_cast<std::int64_t>(ids.size()) - 1;
    std::int64_t firstRow = 0; // of the chunk at hand
    m_executor->setObserver([this, place, &firstRow](const OpEvent &event) {
        const Kernel &kernel = m_plan->at(event.op.kernel);
        if (!event.before || kernel.kind != OpKind::CrossEntropy)
            return;
        const std::int64_t row = place - std::exchange(firstRow, firstRow + kernel.m);
        if (row < 0 || row >= kernel.m)
            return;
        const std::span<std::byte> bytes = m_executor->bytesOf(event.op.reads[0], event.slot, event.microBatch);
        m_logits.resize(static_cast<std::size_t>(kernel.n));
        std::memcpy(m_logits.data(), bytes.data() + row * kernel.n * sizeOf(DType::Fp32), m_logits.size() * sizeof(float));
    });
    const Result<double> loss = m_executor->evaluate({.tokens = tokens, .targets = tokens});
    m_executor->setObserver({});
    return loss ? Result<void>() : Result<void>(loss.error());
}

Result<std::int32_t> Sampler::next(std::span<const std::int32_t> ids)
{
    if (Result<void> read = readLogits(ids); !read)
        return read.error();
    return drawToken(m_logits, m_options, m_random);
}

} // namespace slipway
