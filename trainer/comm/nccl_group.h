// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks with one GPU each: collectives on device memory use NCCL, those on host memory the communicator below.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "base/result.h"
#include "comm/communicator.h"
#include "comm/rendezvous.h"

namespace slipway {

// The reason why this program has no NCCL; empty if it has.
std::string ncclMissing();

// Makes NCCL's sums bitwise reproducible: without NVLS, where the switch adds in an unspecified order. To be called
// before NCCL starts, while this process has one thread. Does not override the user's NCCL_ALGO.
inline void fixOrderOfNcclSums() { ::setenv("NCCL_ALGO", "^NVLS,NVLSTree", 0); }

// Adds a DeviceGroup to `control`. All ranks call it and get the same result: an error if a rank has no GPU of its own.
// After an error `control` is unchanged, or empty if NCCL itself failed. Time limits are those of the rendezvous.
Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &control, const Rendezvous &rendezvous);

} // namespace slipway
