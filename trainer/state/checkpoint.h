// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of a run: checkpoints/step-00001000/{model.safetensors, optimizer.safetensors, manifest.json}. A folder is
// written beside its place, synced and renamed, so that it is whole or not there; nothing older is touched before that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "state/manifest.h"

namespace slipway {

// One weight with its two Adam states, fp32, under its Hugging Face name. All three spans have the same size.
struct CheckpointTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::span<float> weight, momentum, variance;
};

struct SavedCheckpoint {
    std::int64_t step = 0;
    std::filesystem::path folder;
    bool operator==(const SavedCheckpoint &) const = default;
};

struct RestoredCheckpoint {
    std::optional<CheckpointManifest> manifest; // empty: there was no checkpoint, the tensors are as they were
    std::vector<std::string> passedOver;        // why newer ones were not taken
};

class CheckpointStore {
public:
    // `directory` is the run's folder of checkpoints; it is made with the first one.
    explicit CheckpointStore(std::filesystem::path directory) : m_directory(std::move(directory)) {}

    // Newest first; folders that are no checkpoints are not listed.
    [[nodiscard]] std::vector<SavedCheckpoint> list() const;

    // Writes one, then removes what is older than the newest `keep`. Fills in the manifest's checksums. Fault::Outside
    // where the disk is full: then all earlier checkpoints are as they were.
    Result<SavedCheckpoint> save(CheckpointManifest manifest, std::span<const CheckpointTensor> tensors, int keep) const;

    // Fills the tensors from the newest checkpoint that is whole. Nothing is changed before all of it has been checked.
    // Fault::Damaged where there are some and none is whole; Fault::Input where the newest is another model's.
    Result<RestoredCheckpoint> restore(const ModelSpec &model, std::span<const CheckpointTensor> tensors) const;

    // What a crash left behind. Only the holder of the run's lock may call it.
    void removeUnfinished() const;

private:
    [[nodiscard]] Result<CheckpointManifest> restoreFrom(const std::filesystem::path &folder, const ModelSpec &model, std::span<const CheckpointTensor> tensors) const;

    std::filesystem::path m_directory;
};

} // namespace slipway
