// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The files in a checkpoint's folder, and a folder that is read.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/checkpoint.h"
#include "state/safetensors.h"

namespace slipway {

inline constexpr const char *kManifestFile = "manifest.json";
inline constexpr std::string_view kMomentum = "exp_avg/", kVariance = "exp_avg_sq/", kAverage = "ema/";

// "model.safetensors"; of several "model-00001-of-00004.safetensors".
std::string shardFileName(std::string_view stem, ShardPlace place);
std::string shardRecordName(ShardPlace place);

class CheckpointFolder {
public:
    // The manifest and every shard's files, well-formed. Fault::Damaged else.
    static Result<CheckpointFolder> open(const std::filesystem::path &folder);

    [[nodiscard]] const CheckpointManifest &manifest() const { return m_manifest; }
    // Every weight's parts follow each other without gaps, with their states, and all checksums hold.
    [[nodiscard]] Result<void> verify(const std::function<void()> &reportProgress = {}) const;
    // Copies the tensors' runs of elements, wherever their parts lie. See CheckpointStore::read.
    [[nodiscard]] Result<void> copy(
        std::span<const CheckpointTensor> tensors, const std::function<void()> &reportProgress = {}) const;

private:
    struct Shard {
        SafetensorsFile model, optimizer;
    };
    struct Stored {
        const SafetensorsFile *file;
        const TensorEntry *entry;
    };
    // Where a part lies, name, type and size checked.
    [[nodiscard]] Result<Stored> find(bool ofModel, const std::string &name, const TensorPart &part) const;
    [[nodiscard]] std::filesystem::path pathOf(bool ofModel, int shard) const;
    [[nodiscard]] Error damaged(std::string what) const;
    [[nodiscard]] Result<void> verify(bool ofModel, const std::string &name, const TensorPart &part) const;
    // Whether the manifest has it: states depend on the optimizer.
    [[nodiscard]] bool keeps(const std::string &state, const TensorPart &part) const;

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    std::vector<Shard> m_shards;
    std::map<std::string, std::vector<TensorPart>> m_parts; // of every weight, in order of their first elements
};

} // namespace slipway
