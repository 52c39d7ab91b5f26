// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/placement.h"

#include <algorithm>
#include <array>

#include "base/units.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 14> kSplitByRows{"qkv", "qkv_bias", "qk_norm_all_heads", "gate_up",
    "gate_up_bias", "up", "up_bias", "experts_gate_up", "experts_up", "shared_gate_up", "shared_up", "embedding",
    "head", "head_bias"};
constexpr std::array<std::string_view, 4> kSplitByColumns{"o", "down", "experts_down", "shared_down"};

template<std::size_t N>
bool contains(const std::array<std::string_view, N> &names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void takeShare(std::int64_t &first, std::int64_t &extent, int ranks, int place)
{
    const std::int64_t share = ceilDiv(extent, std::int64_t{ranks}), begin = std::min(extent, share * place);
    extent = std::min(extent, begin + share) - begin;
    first += begin;
}

} // namespace

WeightPlacement placementOf(std::string_view tensor)
{
    return contains(kSplitByRows, tensor)      ? WeightPlacement::Rows
           : contains(kSplitByColumns, tensor) ? WeightPlacement::Columns
                                               : WeightPlacement::Whole;
}

WeightSlice sliceOf(WeightPlacement placement, const WeightSlice &whole, int ranks, int place)
{
    WeightSlice slice = whole;
    if (placement == WeightPlacement::Rows)
        takeShare(slice.firstRow, slice.rows, ranks, place);
    else if (placement == WeightPlacement::Columns)
        takeShare(slice.firstColumn, slice.columns, ranks, place);
    return slice;
}

} // namespace slipway
