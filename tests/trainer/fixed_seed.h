// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/ATen.h>

namespace slipway::testing {

// A fixture's first member where later ones draw random numbers: LibTorch begins with another seed in each process.
struct FixedSeed {
    FixedSeed() { at::manual_seed(1); }
};

} // namespace slipway::testing
