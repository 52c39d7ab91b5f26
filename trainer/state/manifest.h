// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a checkpoint says of itself: manifest.json beside its tensors, written last.
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

// A run of a tensor's elements, in row-major order, and the shard whose files hold it.
struct TensorPart {
    int shard = 0;
    std::optional<WeightSlice> slice; // the rows and columns that the run is of; empty: of the whole tensor
    std::int64_t first = 0, count = 0;
    bool operator==(const TensorPart &) const = default;
};

struct CheckpointManifest {
    std::int64_t step = 0;     // finished
    Tokens tokens = 0;         // seen by all ranks
    std::uint64_t samples = 0; // drawn by all ranks: the whole position in the data, see data/sample_order.h
    std::uint64_t seed = 0;
    int attempt = 0;
    std::string configDigest; // checksum of run.yaml's content
    ModelSpec model;
    std::map<std::string, std::string> checksums;         // "FILE/TENSOR" -> checksum of its bytes
    int shards = 1;                                       // ranks that wrote a part each
    std::map<std::string, std::vector<TensorPart>> parts; // by weight; empty for one shard: each is whole
    // Of every weight, where a part of any is of a slice; else empty, as the runs of elements need none.
    std::map<std::string, std::vector<std::int64_t>> shapes;
    bool operator==(const CheckpointManifest &) const = default;
};

// What one shard knows of its files, until the manifest takes it up.
struct ShardRecord {
    std::map<std::string, std::string> checksums;
    std::map<std::string, std::vector<TensorPart>> parts;
    std::map<std::string, std::vector<std::int64_t>> shapes; // of the whole weights
    bool operator==(const ShardRecord &) const = default;
};
std::string toJson(const ShardRecord &record);
Result<ShardRecord> shardRecordFromJson(std::string_view text, const std::string &where);

inline constexpr Bytes kLargestManifest = 256 * kMiB; // of thousands of ranks

// Of version 2 where a part is of a slice, which version 1 does not know; else of version 1.
std::string toJson(const CheckpointManifest &manifest);
// Fault::Damaged where anything is missing or the manifest's own checksum does not hold.
Result<CheckpointManifest> manifestFromJson(std::string_view text, const std::string &where);

} // namespace slipway
