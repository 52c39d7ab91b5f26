// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"

namespace slipway {

// Fills in cost class, FLOPs as executed (flash attention skips what the causal mask hides) and bytes of device memory,
// each operand once, from the kernel's shape.
void addWork(Kernel &kernel);

// FLOPs by the convention of MFU: attention counts in full, whatever the kernel skips (contract, section 2).
Flops modelFlops(const Kernel &kernel);

} // namespace slipway
