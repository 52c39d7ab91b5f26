// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which types of numbers a card multiplies.
#pragma once

#include "hardware/gpu.h"

namespace slipway {

// Tensor cores for bf16 came with compute capability 8.0 (CUDA C++ programming guide, table of arithmetic by capability); a card whose capability
// is not known, or of another vendor, is taken to have them.
bool multipliesBf16(const Gpu &gpu);

} // namespace slipway
