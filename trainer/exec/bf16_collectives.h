// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// All-reduce and reduce-scatter of bf16 through host memory. They round as NCCL's rings do: each rank adds its own
// values to the partial sum that it receives, and passes the result on in bf16.
#pragma once

#include <cstdint>
#include <span>

#include "comm/communicator.h"

namespace slipway {

// `data`: bit patterns of bf16, of the same number on every rank. They are summed in place; the result is bitwise the
// same on all ranks.
void allReduceBf16(Communicator &group, std::span<std::uint16_t> data);
// Like Communicator::reduceScatterSum, for bit patterns of bf16.
void reduceScatterBf16(Communicator &group, std::span<const std::uint16_t> all, std::span<std::uint16_t> own);

} // namespace slipway
