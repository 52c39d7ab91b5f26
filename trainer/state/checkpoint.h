// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of a run: checkpoints/step-00001000/{model.safetensors, optimizer.safetensors, manifest.json}; where
// ranks hold parts, each writes its own model-00001-of-00004.safetensors and optimizer file. A folder is written beside
// its place, synced and renamed, so that it is whole or not there; nothing older is touched before that. Parts are runs
// of a tensor's elements, or of those in some of its rows and columns: any number of ranks, with any strategy, reads
// its own parts back out of them.
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

// A run of elements of one weight with the states of its optimizer, fp32, under its Hugging Face name. All spans have
// the same size, but those that are empty: the variance of what Muon updates, the average where there is none, and
// states that a reader does not ask for.
struct CheckpointTensor {
    std::string name;
    std::vector<std::int64_t> shape;  // of the whole weight
    std::optional<WeightSlice> slice; // the rows and columns that the run is of; empty: of the whole weight
    std::int64_t first = 0;           // of the run, in the slice's row-major elements
    std::span<float> weight, momentum, variance;
    std::span<float> average = {}; // moving average of the weight
};

// Which part of the checkpoint a rank writes: `count` ranks write something, and this one is number `index` of them.
struct ShardPlace {
    int index = 0, count = 1;
    bool operator==(const ShardPlace &) const = default;
};

struct SavedCheckpoint {
    std::int64_t step = 0;
    std::filesystem::path folder;
    bool operator==(const SavedCheckpoint &) const = default;
};

struct ChosenCheckpoint {
    std::optional<SavedCheckpoint> saved;       // empty: there is none
    std::optional<CheckpointManifest> manifest; // of `saved`
    std::vector<std::string> passedOver;        // why newer ones were not taken
};

class CheckpointStore {
public:
    // `directory` is the run's folder of checkpoints; it is made with the first one.
    explicit CheckpointStore(std::filesystem::path directory) : m_directory(std::move(directory)) {}

    // Newest first; folders that are no checkpoints are not listed.
    [[nodiscard]] std::vector<SavedCheckpoint> list() const;
    // Under its name, or where it was set aside when a process ended while it was replaced.
    [[nodiscard]] SavedCheckpoint at(std::int64_t step) const;

    // Writes one, then removes what is older than the newest `keep`. Fills in the manifest's checksums. Fault::Outside
    // where the disk is full: then all earlier checkpoints are as they were.
    Result<SavedCheckpoint> save(
        CheckpointManifest manifest, std::span<const CheckpointTensor> tensors, int keep) const;
    // The same in the steps that several ranks take: one begins, then each writes its shard, when all have one
    // finishes.
    Result<void> begin(std::int64_t step) const;
    // A shard may hold tensors of a few layers alone, and one part of a tensor at most. What several ranks hold alike
    // is written by one of them.
    Result<void> writeShard(std::int64_t step, ShardPlace place, std::span<const CheckpointTensor> tensors) const;
    Result<SavedCheckpoint> finish(CheckpointManifest manifest, int shards, int keep) const;
    void abandon(std::int64_t step) const;

    // The newest that is whole, to the last checksum. Fault::Damaged where there are some and none is whole, or where
    // the newest is another model's. `reportProgress`, here and below, is called after each tensor.
    Result<ChosenCheckpoint> choose(const ModelSpec &model, const std::function<void()> &reportProgress = {}) const;
    // Fills the tensors out of one that was chosen. Nothing is changed where anything is missing. An average that was
    // not kept begins with the weights. Fault::Input where another optimizer wrote it after its first step.
    Result<void> read(const SavedCheckpoint &saved, std::span<const CheckpointTensor> tensors,
        const std::function<void()> &reportProgress = {}) const;
    // Both: as they were where there is no checkpoint.
    Result<ChosenCheckpoint> restore(const ModelSpec &model, std::span<const CheckpointTensor> tensors) const;

    // What a crash left behind; what it left aside gets its name back. Only the holder of the run's lock may call it.
    void removeUnfinished() const;

private:
    [[nodiscard]] std::filesystem::path placeOf(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path asideOf(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path unfinished(std::int64_t step) const;

    std::filesystem::path m_directory;
};

} // namespace slipway
