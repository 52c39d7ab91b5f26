// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sums of bf16 over ranks through the host's memory, rounded as NCCL's rings round them: a part of the numbers goes
// from rank to rank, each adds its own and passes the sum on in bf16.
#pragma once

#include <cstdint>
#include <span>

#include "comm/communicator.h"

namespace slipway {

// Bits of bf16. In place; every rank gets the same.
void allReduceNarrow(Communicator &group, std::span<std::uint16_t> data);
// As Communicator::reduceScatterSum.
void reduceScatterNarrow(Communicator &group, std::span<const std::uint16_t> all, std::span<std::uint16_t> own);

} // namespace slipway
