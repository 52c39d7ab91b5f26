// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Number formats that a run needs and a GPU does not support.
#pragma once

#include "config/run_config.h"
#include "hardware/gpu.h"

namespace slipway {

// Tensor cores for bf16 came with compute capability 8.0 (CUDA C++ programming guide, table of arithmetic by
// capability); a GPU whose capability is not known, or of another vendor, is taken to have them.
bool lacksBf16(const RunConfig &config, const Gpu &gpu);

} // namespace slipway
