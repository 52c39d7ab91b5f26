// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace slipway::cpu_ops {

// Sets the number of threads that ops of the calling thread use, those of LibTorch included.
void useThreads(int threads);

} // namespace slipway::cpu_ops
