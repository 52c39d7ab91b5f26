// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of a run: checkpoints/step-00001000/{model.safetensors, optimizer.safetensors, manifest.json}. If ranks
// have shards, each writes its own model-00001-of-00004.safetensors and optimizer file. A folder is written under a
// temporary name, synced and renamed, so that it is complete or absent. Older checkpoints are not changed before that.
// A shard has runs of a tensor's elements, or of a slice of it. Any number of ranks with any strategy can read its own
// shards from them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/weight_slice.h"
#include "state/manifest.h"

namespace slipway {

// A run of elements of one weight and its optimizer states in fp32, under its Hugging Face name. All spans that are not
// empty have the same size. Empty are the variance of weights that Muon updates, a missing average, and states that a
// reader does not need.
struct CheckpointTensor {
    std::string name;
    std::vector<std::int64_t> shape;  // shape of the whole weight
    std::optional<WeightSlice> slice; // the slice that contains the run; empty: the whole weight
    std::int64_t first = 0;           // first element of the run, in the row-major order of the slice
    std::span<float> weight, momentum, variance;
    std::span<float> average = {}; // moving average of the weight
};

// The shard that a rank writes: number `index` of `count` shards.
struct ShardPosition {
    int index = 0, count = 1;
    bool operator==(const ShardPosition &) const = default;
};

struct SavedCheckpoint {
    std::int64_t step = 0;
    std::filesystem::path folder;
    bool operator==(const SavedCheckpoint &) const = default;
};

struct ChosenCheckpoint {
    std::optional<SavedCheckpoint> saved;       // empty: none
    std::optional<CheckpointManifest> manifest; // of `saved`
    std::vector<std::string> passedOver;        // reasons why newer checkpoints were skipped
};

class CheckpointStore {
public:
    // `directory`: the run's folder of checkpoints, which the first checkpoint creates.
    explicit CheckpointStore(std::filesystem::path directory) : m_directory(std::move(directory)) {}

    // Latest first, without folders that are not checkpoints.
    [[nodiscard]] std::vector<SavedCheckpoint> list() const;
    // The folder of a checkpoint: under its name, or under its backup name if a process ended while replacing it.
    [[nodiscard]] SavedCheckpoint at(std::int64_t step) const;

    // Writes a checkpoint, then removes all but the latest `keep`. Fills in the manifest's checksums. Fault::Outside if
    // the disk is full; earlier checkpoints are then unchanged.
    Result<SavedCheckpoint> save(
        CheckpointManifest manifest, std::span<const CheckpointTensor> tensors, int keep) const;
    // The same for several ranks: one rank calls begin(), then each calls writeShard(), and after all of them one calls
    // finish().
    Result<void> begin(std::int64_t step) const;
    // A shard may have tensors of some layers only, and at most one part of each tensor. Replicas are written by one
    // rank.
    Result<void> writeShard(std::int64_t step, ShardPosition position, std::span<const CheckpointTensor> tensors) const;
    Result<SavedCheckpoint> finish(CheckpointManifest manifest, int shards, int keep) const;
    void abandon(std::int64_t step) const;
    // The last part of finish(): `latest` names the checkpoint, and all but the latest `keep` are removed. A run that
    // resumes repeats it, because its process may have ended in between.
    Result<void> publish(std::int64_t step, int keep) const;

    // The latest complete checkpoint, with all checksums verified. Fault::Damaged if there are checkpoints but none is
    // complete, or if the latest is of another model. `reportProgress`, here and below, is called after each tensor.
    Result<ChosenCheckpoint> choose(const ModelSpec &model, const std::function<void()> &reportProgress = {}) const;
    // Fills the tensors from a chosen checkpoint. Changes nothing if anything is missing. A missing average starts as
    // the weights. Fault::Input if it was written by another optimizer after the first step.
    Result<void> read(const SavedCheckpoint &saved, std::span<const CheckpointTensor> tensors,
        const std::function<void()> &reportProgress = {}) const;
    // choose() and read(). Without a checkpoint, the tensors are unchanged.
    Result<ChosenCheckpoint> restore(const ModelSpec &model, std::span<const CheckpointTensor> tensors) const;

    // Removes the remains of a crash, and renames backups back. Only the holder of the run's lock may call it.
    void removeUnfinished() const;

private:
    [[nodiscard]] std::filesystem::path placeOf(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path asideOf(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path unfinished(std::int64_t step) const;

    std::filesystem::path m_directory;
};

} // namespace slipway
