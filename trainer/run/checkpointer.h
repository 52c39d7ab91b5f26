// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes checkpoints while the training goes on: each rank copies what it holds and lets a thread write it (on a GPU
// that thread copies, too, beside the steps); when all have written, the first rank puts the checkpoint in its place.
// Every rank calls the same functions in the same order.
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

// This rank's weights as checkpoints know them: all that it has, or those that it writes, where several ranks have
// them.
enum class Tensors { All, Written };
std::vector<CheckpointTensor> checkpointTensors(const Executor &executor, Tensors which = Tensors::All);

// Which part of a checkpoint a rank writes, of the ranks whose weights differ.
ShardPlace shardPlace(const StepPlan &plan, int ranks, int rank);

class Checkpointer {
public:
    // `plan`: this rank's. `keep`: the newest so many checkpoints stay.
    Checkpointer(CheckpointStore store, Communicator &communicator, const StepPlan &plan, int keep);

    // Begins to write the weights as they are, once an earlier checkpoint is in its place. The manifest counts on the
    // first rank. The executor must live until poll has given the checkpoint.
    Result<std::optional<SavedCheckpoint>> start(CheckpointManifest manifest, Executor &executor);
    // A checkpoint that has come into its place since the last call, for the first rank alone; `wait`: not before it
    // has.
    Result<std::optional<SavedCheckpoint>> poll(bool wait);

private:
    struct Copy {
        std::vector<float> values;
        std::vector<CheckpointTensor> tensors; // into the values
    };
    void copyWeights(Executor &executor);
    // Whether this rank's part is on disk; waits for it so long.
    Result<bool> shardWritten(std::chrono::milliseconds patience);

    CheckpointStore m_store;
    Communicator &m_communicator;
    ShardPlace m_place;
    bool m_writes; // other ranks with the same weights do not
    int m_keep;
    Copy m_copy;
    std::optional<CheckpointManifest> m_inFlight;
    std::future<Result<void>> m_written; // last: its thread uses the copy
};

} // namespace slipway
