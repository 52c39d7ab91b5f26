// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"

namespace slipway {

// Sets the cost class, the executed FLOPs (flash attention skips masked tiles) and the bytes of device memory from the
// kernel's shape. Each operand counts once.
void addWork(Kernel &kernel);

// FLOPs by the convention of MFU: attention counts in full, even if the kernel skips masked blocks.
Flops modelFlops(const Kernel &kernel);

} // namespace slipway
