// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace slipway::cpu_ops {

// How many threads the calling thread's ops use from now on, LibTorch's included.
void useThreads(int threads);

// The cores this process may run on.
int availableCores();

} // namespace slipway::cpu_ops
