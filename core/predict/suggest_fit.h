// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What makes room where no single change does: several at once, more GPUs, a GPU with more memory.
#pragma once

#include <vector>

#include "predict/candidate.h"

namespace slipway {

// Each list from what costs least to what leaves the most room: the first of it that fits is worth a suggestion. All
// keep the tokens of a step.
std::vector<std::vector<Candidate>> fittingCandidates(
    const RunConfig &config, const Gpu &gpu, Bytes peak, const Catalogue &catalogue);

} // namespace slipway
