// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// manifest.json: the description of a checkpoint in its folder, written last.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/model_spec.h"
#include "model/weight_slice.h"

namespace slipway {

// A run of a tensor's elements in row-major order, and the shard whose files contain it.
struct TensorPart {
    int shard = 0;
    std::optional<WeightSlice> slice; // the slice that contains the run; empty: the whole tensor
    std::int64_t first = 0, count = 0;
    bool operator==(const TensorPart &) const = default;
};

struct CheckpointManifest {
    std::int64_t step = 0;     // last finished step
    Tokens tokens = 0;         // processed by all ranks
    std::uint64_t samples = 0; // drawn by all ranks: the position in the data (data/sample_order.h)
    std::uint64_t seed = 0;
    int attempt = 0;
    std::string configDigest; // checksum of run.yaml's content
    ModelSpec model;
    std::map<std::string, std::string> checksums;         // "FILE/TENSOR" -> checksum of its bytes
    int shards = 1;                                       // number of ranks that wrote a shard
    std::map<std::string, std::vector<TensorPart>> parts; // by weight; empty for one shard
    // The shape of each weight, if any part has a slice; else empty.
    std::map<std::string, std::vector<std::int64_t>> shapes;
    bool operator==(const CheckpointManifest &) const = default;
};

// The entries of one shard, until they are merged into the manifest.
struct ShardRecord {
    std::map<std::string, std::string> checksums;
    std::map<std::string, std::vector<TensorPart>> parts;
    std::map<std::string, std::vector<std::int64_t>> shapes; // shapes of the whole weights
    bool operator==(const ShardRecord &) const = default;
};
std::string toJson(const ShardRecord &record);
Result<ShardRecord> shardRecordFromJson(std::string_view text, const std::string &where);

inline constexpr Bytes kLargestManifest = 256 * kMiB; // enough for thousands of ranks
// Version 2 if a part has a slice, which version 1 does not support; else version 1.
std::string toJson(const CheckpointManifest &manifest);
// Fault::Damaged if anything is missing or the manifest's own checksum is wrong.
Result<CheckpointManifest> manifestFromJson(std::string_view text, const std::string &where);

} // namespace slipway
