// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the preloaded library (fault.cpp) and the tests that load it agree on. The environment says which call fails:
//   SLIPWAY_FAULT_CALL   write, fsync, rename, open, mkdir, fork or connect
//   SLIPWAY_FAULT_ERROR  an errno value; 0 kills the process by SIGKILL in place of the call
//   SLIPWAY_FAULT_AT     which one, from 1 and over all processes that were started; 0 counts and fails none
//   SLIPWAY_FAULT_UNDER  only calls on files below this folder count; fork and connect always do
//   SLIPWAY_FAULT_TALLY  a file of sizeof(Tally) bytes, which all those processes share
#pragma once

#include <atomic>
#include <cstdint>

namespace slipway::faults {

struct Tally {
    std::atomic<std::int64_t> calls;
    std::atomic<std::int64_t> failed; // 0 or 1
    char process[32];                 // that the failed call was made by
    char path[480];                   // that it was made on
};

} // namespace slipway::faults
