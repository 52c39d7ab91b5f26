// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes checkpoints asynchronously. Each rank copies its weights, and a thread writes them; on a GPU the thread also
// makes the copy while steps continue. When all ranks have written, the first rank renames the checkpoint into place.
// All ranks call the same functions in the same order.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <vector>

#include "base/result.h"
#include "comm/communicator.h"
#include "exec/executor.h"
#include "state/checkpoint.h"

namespace slipway {

// This rank's weights for a checkpoint: all, or only those that it writes if several ranks have replicas.
enum class Tensors { All, Written };
std::vector<CheckpointTensor> checkpointTensors(const Executor &executor, Tensors which = Tensors::All);

// The shard of a checkpoint that a rank writes. Ranks with replicas of the same weights have the same shard.
ShardPosition shardPosition(const StepPlan &plan, int rank);

class Checkpointer {
public:
    // `plan`: this rank's. `keep`: number of latest checkpoints to keep.
    Checkpointer(CheckpointStore store, Communicator &communicator, const StepPlan &plan, int keep);

    // Starts writing the current weights, after waiting for an earlier checkpoint, which it returns on the first rank.
    // Only the first rank's manifest is used. The executor must exist until poll() has returned the checkpoint.
    Result<std::optional<SavedCheckpoint>> start(CheckpointManifest manifest, Executor &executor);
    // The checkpoint that was completed since the last call, on the first rank only. `wait`: waits for it.
    Result<std::optional<SavedCheckpoint>> poll(bool wait);

private:
    struct Copy {
        std::vector<float> values;
        std::vector<CheckpointTensor> tensors; // views of `values`
    };
    void copyWeights(Executor &executor);
    // Whether this rank's shard is on disk. Waits for at most `timeout`.
    Result<bool> shardWritten(std::chrono::milliseconds timeout);

    CheckpointStore m_store;
    Communicator &m_communicator;
    ShardPosition m_position;
    bool m_writes; // this rank writes the shard, and not another one with the same weights
    int m_keep;
    Copy m_copy;
    std::optional<CheckpointManifest> m_inFlight;
    std::future<Result<void>> m_written; // last member: its thread uses m_copy
};

} // namespace slipway
