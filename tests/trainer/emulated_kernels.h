// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "kernels/kernels.h"

namespace slipway::kernels {

// The GPU's kernels on the processor. Null where NVIDIA's headers are not.
const Table *emulatedKernels();

} // namespace slipway::kernels
