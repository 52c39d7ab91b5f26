// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/threads.h"

#include <ATen/Parallel.h>

#include <omp.h>

namespace slipway::cpu_ops {

void useThreads(int threads)
{
    at::set_num_threads(threads);
    omp_set_num_threads(threads);
}

} // namespace slipway::cpu_ops
