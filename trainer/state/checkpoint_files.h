// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The files in a checkpoint's folder, and a folder that is read.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/checkpoint.h"
#include "state/checkpoint_parts.h"
#include "state/safetensors.h"

namespace slipway {

inline constexpr const char *kManifestFile = "manifest.json";

// One of the values that a checkpoint has of each weight.
struct StoredValues {
    bool ofModel = true;     // in the model's file; else in the optimizer's
    std::string_view prefix; // of the weight's name there
    std::span<float> CheckpointTensor::*place;
    bool always = true; // else the optimizer decides: Muon keeps no variance, and few runs keep an average
};
inline constexpr std::string_view kMomentum = "exp_avg/", kVariance = "exp_avg_sq/", kAverage = "ema/";
inline constexpr std::array<StoredValues, 4> kStoredValues{
    {{true, "", &CheckpointTensor::weight}, {false, kMomentum, &CheckpointTensor::momentum},
        {false, kVariance, &CheckpointTensor::variance, false}, {false, kAverage, &CheckpointTensor::average, false}}};

// "model.safetensors"; of several "model-00001-of-00004.safetensors".
std::string shardFileName(std::string_view stem, ShardPlace place);
std::string shardRecordName(ShardPlace place);

// The elements of the weight that the tensor has.
SliceRun runOf(const CheckpointTensor &tensor);

class CheckpointFolder {
public:
    // The manifest, well-formed. Files of shards are opened one at a time, when something is read of them: there may be
    // more than a process may hold open. Fault::Damaged else.
    static Result<CheckpointFolder> open(const std::filesystem::path &folder);

    [[nodiscard]] const CheckpointManifest &manifest() const { return m_manifest; }
    // Every shard's files are there and well-formed, each element of every weight lies in one part, with its states,
    // and all checksums hold.
    [[nodiscard]] Result<void> verify(const std::function<void()> &reportProgress = {}) const;
    // Copies the tensors' runs of elements, wherever their parts lie: reads little else, and no state that has no
    // place. See CheckpointStore::read. Nothing is changed where a weight, a part or a file is missing.
    [[nodiscard]] Result<void> copy(
        std::span<const CheckpointTensor> tensors, const std::function<void()> &reportProgress = {}) const;

private:
    // A part that is read: all of it, or what it shares with a tensor that is filled.
    struct Wanted {
        const std::string *name;
        const TensorPart *part;
        const CheckpointTensor *tensor = nullptr;
    };
    using Use = std::function<Result<void>(
        const SafetensorsFile &file, const TensorEntry &entry, const Wanted &wanted, const StoredValues &values)>;
    // Calls use() for all values that are wanted, file by file. `everyFile`: opens those without any, too.
    [[nodiscard]] Result<void> inFiles(std::vector<Wanted> wanted, bool everyFile, const Use &use) const;
    [[nodiscard]] Result<void> inFile(bool ofModel, int shard, std::span<const Wanted> wanted, const Use &use) const;
    // Where the values of a part are read: one that is checked, or whose tensor has a place for them. Empty where they
    // are not wanted, or not kept.
    struct Source {
        bool ofModel = true;
        std::string name;
    };
    [[nodiscard]] std::optional<Source> sourceOf(const Wanted &wanted, const StoredValues &values) const;
    // Whether the manifest has a state of a part.
    [[nodiscard]] bool keeps(const std::string &state, const TensorPart &part) const;
    [[nodiscard]] Result<void> checkOptimizer(const CheckpointTensor &tensor, const TensorPart &part) const;
    [[nodiscard]] Result<WeightSlice> checkedParts(const std::string &name) const;
    [[nodiscard]] Result<void> addWanted(const CheckpointTensor &tensor, std::vector<Wanted> &wanted) const;
    [[nodiscard]] std::filesystem::path pathOf(bool ofModel, int shard) const;
    [[nodiscard]] Error damaged(std::string what) const;

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    std::map<std::string, std::vector<TensorPart>> m_parts; // of every weight
};

} // namespace slipway
