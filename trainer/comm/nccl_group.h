// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks with a GPU each: what lies on the GPUs goes by NCCL, what the host says goes on as it did.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "base/result.h"
#include "comm/communicator.h"
#include "comm/rendezvous.h"

namespace slipway {

// Empty where this program can; else why not.
std::string ncclMissing();

// Sums of NCCL that repeat bit for bit: without those that a switch adds (NVLS), whose order nobody promises. Called
// before NCCL starts, while this process has one thread. What the user has set stays.
inline void fixOrderOfNcclSums() { ::setenv("NCCL_ALGO", "^NVLS,NVLSTree", 0); }

// The same ranks, with a DeviceGroup. All of `control`'s ranks call it, and all get the same answer: an error where one
// of them has no GPU to itself; then `control` is as it was, or gone where NCCL itself failed. Times are the
// rendezvous's.
Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &control, const Rendezvous &rendezvous);

} // namespace slipway
