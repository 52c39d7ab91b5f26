// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the overlap of a stored part of a weight with a rank's shard of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "base/units.h"
#include "state/checkpoint_parts.h"
#include "state/safetensors.h"

namespace slipway {

// The rows of a slice are not contiguous in a file that has more columns. Gaps up to kLongestGapRead bytes are read
// too, because another read would take longer. One read for several rows is at most as long as the buffer.
inline constexpr Bytes kLongestGapRead = 64 * kKiB, kReadBuffer = 4 * kMiB;

// Elements that are consecutive in two runs: their indices in `from` and in `to`.
struct SharedPiece {
    std::int64_t from = 0, to = 0, length = 0;
    bool operator==(const SharedPiece &) const = default;
};

// Calls visit() for each read of the file that contains the run `from`, with the pieces of the run `to` that this read
// covers, in ascending order.
void forEachRead(
    const SliceRun &from, const SliceRun &to, const std::function<void(std::span<const SharedPiece> pieces)> &visit);

// Fills `into`, the values of the run `to`, from a stored tensor that contains the run `from` in fp32. Elements that it
// does not have are unchanged.
Result<void> readShared(const SafetensorsFile &file, const TensorEntry &stored, const SliceRun &from,
    const SliceRun &to, std::span<float> into);

} // namespace slipway
