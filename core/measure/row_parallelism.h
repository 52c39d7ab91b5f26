// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "measure/row_reader.h"

namespace slipway {

// The mesh of a row: the columns `parallelism` ("zero1+tp+pp;tp=4,pp=2,cp=1,dp=2"), `n_gpus` and `gpus_per_node`. Skips
// the row where they contradict each other.
void readParallelism(RowReader &r, Parallelism &p);

} // namespace slipway
