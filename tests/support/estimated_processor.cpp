// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// In every test program: predictions for the CPU use estimated rates, so that nothing is measured and no file of the
// user is read. Programs that a test starts inherit it.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kProcessorIsEstimated = setenv("SLIPWAY_PROCESSOR", "estimate", 0);

} // namespace
