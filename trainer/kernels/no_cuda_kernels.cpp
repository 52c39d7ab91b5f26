// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "kernels/kernels.h"

namespace slipway::kernels {

const Table *cudaKernels() { return nullptr; }

} // namespace slipway::kernels
