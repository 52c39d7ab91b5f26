// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "emulated_kernels.h"

const slipway::fused_ops::Table *slipway::fused_ops::emulatedKernels() { return nullptr; }
