// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The files in the folder of a checkpoint, and how it is read.
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

// One kind of values that a checkpoint stores per weight.
struct StoredValues {
    bool ofModel = true;     // in the model's file, else in the optimizer's
    std::string_view prefix; // prefix of the weight's name in the file
    std::span<float> CheckpointTensor::*place;
    bool always = true; // false: optional, as Muon has no variance and few runs have an average
};
inline constexpr std::string_view kMomentum = "exp_avg/", kVariance = "exp_avg_sq/", kAverage = "ema/";
inline constexpr std::array<StoredValues, 4> kStoredValues{
    {{true, "", &CheckpointTensor::weight}, {false, kMomentum, &CheckpointTensor::momentum},
        {false, kVariance, &CheckpointTensor::variance, false}, {false, kAverage, &CheckpointTensor::average, false}}};

// "model.safetensors", or "model-00001-of-00004.safetensors" for several shards.
std::string shardFileName(std::string_view stem, ShardPosition position);
std::string shardRecordName(ShardPosition position);

// The elements of the weight that `tensor` covers.
SliceRun runOf(const CheckpointTensor &tensor);

class CheckpointFolder {
public:
    // Reads the manifest; Fault::Damaged if it is malformed. Files of shards are opened one at a time when they are
    // read, because there may be more of them than file descriptors.
    static Result<CheckpointFolder> open(const std::filesystem::path &folder);

    [[nodiscard]] const CheckpointManifest &manifest() const { return m_manifest; }
    // Checks that the files of all shards exist and are well-formed, that each element of each weight is in exactly one
    // part with its states, and that all checksums are right.
    [[nodiscard]] Result<void> verify(const std::function<void()> &reportProgress = {}) const;
    // Fills the tensors from all parts that overlap them. Reads little more than these elements, and no state without a
    // destination. See CheckpointStore::read(). Changes nothing if a weight, a part or a file is missing.
    [[nodiscard]] Result<void> copy(
        std::span<const CheckpointTensor> tensors, const std::function<void()> &reportProgress = {}) const;

private:
    // A part to read: all of it, or its overlap with a tensor to fill.
    struct Wanted {
        const std::string *name;
        const TensorPart *part;
        const CheckpointTensor *tensor = nullptr;
    };
    using Use = std::function<Result<void>(
        const SafetensorsFile &file, const TensorEntry &entry, const Wanted &wanted, const StoredValues &values)>;
    // Calls use() for all wanted values, file by file. `everyFile`: also opens files without wanted values.
    [[nodiscard]] Result<void> inFiles(std::vector<Wanted> wanted, bool everyFile, const Use &use) const;
    [[nodiscard]] Result<void> inFile(bool ofModel, int shard, std::span<const Wanted> wanted, const Use &use) const;
    // The file and tensor with the values of a part. Empty if they are not wanted or not stored.
    struct Source {
        bool ofModel = true;
        std::string name;
    };
    [[nodiscard]] std::optional<Source> sourceOf(const Wanted &wanted, const StoredValues &values) const;
    // Whether the manifest lists a state of a part.
    [[nodiscard]] bool keeps(const std::string &state, const TensorPart &part) const;
    [[nodiscard]] Result<void> checkOptimizer(const CheckpointTensor &tensor, const TensorPart &part) const;
    [[nodiscard]] Result<WeightSlice> checkedParts(const std::string &name) const;
    [[nodiscard]] Result<void> addWanted(const CheckpointTensor &tensor, std::vector<Wanted> &wanted) const;
    [[nodiscard]] std::filesystem::path pathOf(bool ofModel, int shard) const;
    [[nodiscard]] Error damaged(std::string what) const;

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    std::map<std::string, std::vector<TensorPart>> m_parts; // parts of each weight
};

} // namespace slipway
