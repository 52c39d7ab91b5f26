// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where the parts of a weight lie in it: what two of them share, and whether all of them are the whole weight.
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

// The elements [first, first + count) of a slice in its row-major order; at least one.
struct SliceRun {
    WeightSlice slice;
    std::int64_t first = 0, count = 0;
};

// Whether the slice lies within the weight and the run within the slice. Holds for any numbers.
bool liesWithin(const SliceRun &run, const WeightSlice &whole);

// Calls visit(firstOfA, firstOfB, length) for the elements that two runs of the same weight share: their places in
// either run, ascending in both. What follows each other in both runs comes as one.
void forEachShared(const SliceRun &a, const SliceRun &b,
    const std::function<void(std::int64_t firstOfA, std::int64_t firstOfB, std::int64_t length)> &visit);

// All of a weight of this shape, of any numbers; empty where it has no elements or too many to count their bytes.
std::optional<WeightSlice> checkedWholeSlice(std::span<const std::int64_t> shape);

// What a checkpoint's manifest says of one weight.
struct PartsOfWeight {
    std::string name;
    std::optional<std::vector<std::int64_t>> shape; // of the whole weight; empty: not recorded
    std::span<const TensorPart> parts;
};

// All of the weight, where every element lies in exactly one of the parts; without a recorded shape it is seen as one
// column. Fault::Damaged else; the message names a shard's file by fileOf(shard), or the manifest.
Result<WeightSlice> checkParts(const PartsOfWeight &weight, int shards, const std::filesystem::path &manifest,
    const std::function<std::filesystem::path(int shard)> &fileOf);

} // namespace slipway
