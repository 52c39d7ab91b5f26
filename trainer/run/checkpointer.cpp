// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/checkpointer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace slipway {

std::vector<CheckpointTensor> checkpointTensors(const Executor &executor)
{
    std::vector<CheckpointTensor> tensors;
    for (const WeightView &view : executor.weights()) {
        const auto size = static_cast<std::size_t>(view.count);
        tensors.push_back({.name = view.name, .shape = view.shape, .first = view.first, .weight = {view.master, size}, .momentum = {view.momentum, size}, .variance = {view.variance, size}});
    }
    return tensors;
}

Checkpointer::Checkpointer(CheckpointStore store, Communicator &communicator, int shards, int keep)
    : m_store(std::move(store)), m_communicator(communicator), m_shards(shards), m_keep(keep)
{
}

void Checkpointer::copyWeights(Executor &executor)
{
    executor.beginDownload();
    m_copy.tensors = checkpointTensors(executor);
    if (executor.weightsAreCopies())
        return;
    std::size_t size = 0;
    for (const CheckpointTensor &tensor : m_copy.tensors)
        size += 3 * tensor.weight.size();
    m_copy.values.resize(size);
    float *to = m_copy.values.data();
    for (CheckpointTensor &tensor : m_copy.tensors) {
        for (std::span<float> *values : {&tensor.weight, &tensor.momentum, &tensor.variance}) {
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
    m_communicator.barrier(); // the folder is there
    if (writes()) {
        copyWeights(executor);
        const ShardPlace place{.index = m_communicator.rank(), .count = m_shards};
        m_written = std::async(std::launch::async, [this, step, place, &executor] {
            executor.finishDownload();
            return m_store.writeShard(step, place, m_copy.tensors);
        });
    }
    m_inFlight = std::move(manifest);
    return before;
}

Result<std::optional<SavedCheckpoint>> Checkpointer::poll(bool wait)
{
    if (!m_inFlight)
        return std::optional<SavedCheckpoint>();
    bool done = true;
    if (m_written.valid()) {
        done = wait || m_written.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        if (done) {
            if (const Result<void> written = m_written.get(); !written) {
                m_store.abandon(m_inFlight->step);
                m_inFlight.reset();
                return written.error();
            }
        }
    }
    float busy = done ? 0.0f : 1.0f;
    m_communicator.allReduceSum({&busy, 1});
    if (busy > 0)
        return std::optional<SavedCheckpoint>();
    CheckpointManifest manifest = *std::exchange(m_inFlight, std::nullopt);
    if (m_communicator.rank() != 0)
        return std::optional<SavedCheckpoint>();
    Result<SavedCheckpoint> saved = m_store.finish(std::move(manifest), m_shards, m_keep);
    return saved ? Result<std::optional<SavedCheckpoint>>(std::optional(std::move(*saved))) : Result<std::optional<SavedCheckpoint>>(saved.error());
}

} // namespace slipway
