// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <span>

#include "comm/communicator.h"

namespace slipway {

// Sums counts elementwise over the ranks, in place. The sums are exact, while fp32, in which Communicator::allReduceSum
// sums, has gaps between the integers above 2^24. All ranks pass as many counts.
void sumCounts(Communicator &communicator, std::span<std::int64_t> counts);

} // namespace slipway
