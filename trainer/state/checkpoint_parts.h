// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parts of a weight: the overlap of two parts, and whether all parts make up the weight.
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

// The elements [first, first + count) of a slice in row-major order; at least one.
struct SliceRun {
    WeightSlice slice;
    std::int64_t first = 0, count = 0;
};

// Whether the slice is within the weight and the run within the slice. Safe for any numbers.
bool liesWithin(const SliceRun &run, const WeightSlice &whole);

// Calls visit(firstOfA, firstOfB, length) for the elements that two runs of the same weight have in common: their
// indices in both runs, in ascending order. Elements that are consecutive in both runs are merged into one call.
void forEachShared(const SliceRun &a, const SliceRun &b,
    const std::function<void(std::int64_t firstOfA, std::int64_t firstOfB, std::int64_t length)> &visit);

// The whole slice of a weight of this shape; empty if it has no elements, or so many that their bytes overflow.
std::optional<WeightSlice> checkedWholeSlice(std::span<const std::int64_t> shape);

// What the manifest of a checkpoint says about one weight.
struct PartsOfWeight {
    std::string name;
    std::optional<std::vector<std::int64_t>> shape; // of the whole weight; empty: not recorded
    std::span<const TensorPart> parts;
};

// The whole slice of the weight if each element is in exactly one part. Without a recorded shape, the weight counts as
// one column. Otherwise Fault::Damaged; the message names the file of a shard, by fileOf(shard), or the manifest.
Result<WeightSlice> checkParts(const PartsOfWeight &weight, int shards, const std::filesystem::path &manifest,
    const std::function<std::filesystem::path(int shard)> &fileOf);

} // namespace slipway
