// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {

// The GPU's kernels on the processor. Null where NVIDIA's headers are not.
const Table *emulatedKernels();

} // namespace slipway::fused_ops
