// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Two constants of memory, from peaks that runs reached: what the allocator holds beyond the plan, and what the device
// shows beyond the allocator.
#pragma once

#include <optional>
#include <vector>

#include "measure/calibrate.h"

namespace slipway {

struct MemoryRow {
    std::optional<Bytes> allocated, reserved, device; // measured
    Bytes predictedAllocated = 0, predictedReserved = 0, predictedOutside = 0;
};

struct MemoryFit {
    std::vector<FittedConstant> constants;
    std::vector<RefusedConstant> refused; // without the device's name
};

MemoryFit fitMemory(const std::vector<MemoryRow> &rows, const std::optional<std::vector<Constant>> &wanted,
    const SpeedRates &constants);

} // namespace slipway
