// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Suggestions that make a plan fit if no single change does: several at once, more GPUs, a GPU with more memory.
#pragma once

#include <vector>

#include "predict/candidate.h"

namespace slipway {

// Whether 4-bit frozen weights (QLoRA) would take less memory.
bool canPackFrozenWeights(const RunConfig &config);

// Each list begins with the cheapest change and ends with the one that saves the most memory. The first that fits is
// suggested. All keep the tokens per step.
std::vector<std::vector<Candidate>> fittingCandidates(
    const RunConfig &config, const Gpu &gpu, Bytes peak, const Catalogue &catalogue);

} // namespace slipway
