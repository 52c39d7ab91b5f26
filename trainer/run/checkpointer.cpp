// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/checkpointer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "plan/mesh.h"

namespace slipway {

namespace {

// While a rank is still writing, all ranks exchange their state at this interval, so that a rank with a slow disk does
// not count as hanging.
constexpr std::chrono::milliseconds kTurn{200};

// The number of data-parallel ranks, the first ones, that together have all weights.
int writersOf(const StepPlan &plan) { return std::max(plan.mesh.shards.size, plan.mesh.expert.size); }

} // namespace

std::vector<CheckpointTensor> checkpointTensors(const Executor &executor, Tensors which)
{
    std::vector<CheckpointTensor> tensors;
    for (const WeightView &view : executor.weights()) {
        if (which == Tensors::Written && !view.written)
            continue;
        const bool isWhole = view.slice == wholeSlice(view.shape);
        const auto values = [&view](float *at) {
            return std::span<float>(at, at ? static_cast<std::size_t>(view.count) : 0);
        };
        tensors.push_back({.name = view.name,
            .shape = view.shape,
            .slice = isWhole ? std::nullopt : std::optional(view.slice),
            .first = view.first,
            .weight = values(view.master),
            .momentum = values(view.momentum),
            .variance = values(view.variance),
            .average = values(view.average)});
    }
    return tensors;
}

ShardPosition shardPosition(const StepPlan &plan, int rank)
{
    const MeshCoordinate coordinate = coordinateOf(plan, rank);
    const int writers = writersOf(plan);
    return {
        .index = coordinate.copy % writers + writers * (coordinate.tensor + plan.mesh.tensor.size * coordinate.stage),
        .count = writers * plan.mesh.tensor.size * plan.mesh.pipeline.size};
}

Checkpointer::Checkpointer(CheckpointStore store, Communicator &communicator, const StepPlan &plan, int keep)
    : m_store(std::move(store)),
      m_communicator(communicator),
      m_position(shardPosition(plan, communicator.rank())),
      m_writes(coordinateOf(plan, communicator.rank()).copy < writersOf(plan)),
      m_keep(keep)
{
}

void Checkpointer::copyWeights(Executor &executor)
{
    executor.beginDownload();
    m_copy.tensors = checkpointTensors(executor, Tensors::Written);
    if (executor.weightsAreCopies())
        return;
    std::size_t size = 0;
    for (const CheckpointTensor &tensor : m_copy.tensors)
        size += tensor.weight.size() + tensor.momentum.size() + tensor.variance.size() + tensor.average.size();
    m_copy.values.resize(size);
    float *to = m_copy.values.data();
    for (CheckpointTensor &tensor : m_copy.tensors) {
        for (std::span<float> *values : {&tensor.weight, &tensor.momentum, &tensor.variance, &tensor.average}) {
            std::copy(values->begin(), values->end(), to);
            *values = {to, values->size()};
            to += values->size();
        }
    }
}

Result<std::optional<SavedCheckpoint>> Checkpointer::start(CheckpointManifest manifest, Executor &executor)
{
    Result<std::optional<SavedCheckpoint>> before = poll(true);
    if (!before)
        return before;
    const std::int64_t step = manifest.step;
    const Result<void> begun = m_communicator.rank() == 0 ? m_store.begin(step) : Result<void>();
    if (!begun)
        return begun.error();
    m_communicator.barrier(); // the folder exists now
    if (m_writes) {
        copyWeights(executor);
        m_written = std::async(std::launch::async, [this, step, position = m_position, &executor] {
            executor.finishDownload();
            Result<void> written = m_store.writeShard(step, position, m_copy.tensors);
            executor.releaseCopies(); // frees the host's copies until the next checkpoint
            return written;
        });
    }
    m_inFlight = std::move(manifest);
    return before;
}

Result<bool> Checkpointer::shardWritten(std::chrono::milliseconds timeout)
{
    if (!m_written.valid())
        return true;
    if (m_written.wait_for(timeout) != std::future_status::ready)
        return false;
    const Result<void> written = m_written.get();
    return written ? Result<bool>(true) : Result<bool>(written.error());
}

Result<std::optional<SavedCheckpoint>> Checkpointer::poll(bool wait)
{
    if (!m_inFlight)
        return std::optional<SavedCheckpoint>();
    for (bool busy = true; busy;) {
        const Result<bool> done = shardWritten(wait ? kTurn : std::chrono::milliseconds(0));
        if (!done) {
            m_store.abandon(m_inFlight->step);
            m_inFlight.reset();
            return done.error();
        }
        float writing = *done ? 0.0f : 1.0f;
        m_communicator.allReduceSum({&writing, 1});
        busy = writing > 0;
        if (busy && !wait)
            return std::optional<SavedCheckpoint>();
    }
    CheckpointManifest manifest = *std::exchange(m_inFlight, std::nullopt);
    if (m_communicator.rank() != 0)
        return std::optional<SavedCheckpoint>();
    Result<SavedCheckpoint> saved = m_store.finish(std::move(manifest), m_position.count, m_keep);
    return saved ? Result<std::optional<SavedCheckpoint>>(std::optional(std::move(*saved)))
                 : Result<std::optional<SavedCheckpoint>>(saved.error());
}

} // namespace slipway
