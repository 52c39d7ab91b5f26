// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "measure/row_reader.h"

namespace slipway {

// The bandwidth of a node's network, in Gbit/s, as the column `interconnect` gives it: "8x400Gbps/node", "8x NDR".
void readNetwork(const RowReader &r, RunConfig &c);

// What is assumed for clusters of A100 where the column gives none.
void assumeNetwork(RowReader &r, const SpeedRates &constants, RunConfig &c, const Gpu &gpu);

} // namespace slipway
