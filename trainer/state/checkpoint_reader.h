// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads what a part of a weight and a rank's share of it have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "base/units.h"
#include "state/checkpoint_parts.h"
#include "state/safetensors.h"

namespace slipway {

// The rows of a slice lie apart in a file that holds other columns, too. A gap of at most so many bytes is read along,
// as another call costs more; what one call reads for several rows is no longer than the buffer.
inline constexpr Bytes kLongestGapRead = 64 * kKiB, kReadBuffer = 4 * kMiB;

// Elements that follow each other in both runs: their places there.
struct SharedPiece {
    std::int64_t from = 0, to = 0, length = 0;
    bool operator==(const SharedPiece &) const = default;
};

// Calls visit() for each read of the file that holds the run `from`: with the pieces of the run `to` that lie between
// the first one's begin and the last one's end, in ascending order.
void forEachRead(
    const SliceRun &from, const SliceRun &to, const std::function<void(std::span<const SharedPiece> pieces)> &visit);

// Fills `into`, the values of the run `to`, with what the stored tensor has of them, which holds the run `from` as
// fp32. The elements of `to` that it does not have stay as they are.
Result<void> readShared(const SafetensorsFile &file, const TensorEntry &stored, const SliceRun &from,
    const SliceRun &to, std::span<float> into);

} // namespace slipway
