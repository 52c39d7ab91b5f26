// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The last search for a plan that fits; it takes some ms. If neither one change nor a combination of suggest_fit.h is
// enough, it shards everything over more and more ranks.
#pragma once

#include <optional>
#include <vector>

#include "predict/candidate.h"

namespace slipway {

struct FittingPlan {
    Candidate candidate;
    Assessment then;
};

struct FitSearch {
    std::vector<FittingPlan> fitting;
    std::optional<FittingPlan> least; // the plan with the least memory per GPU
};

// Tries several meshes and returns the plan on the fewest ranks. It keeps the tokens per step, unless only more tokens
// can use enough ranks; then `why` says so.
FitSearch searchFit(const ResolvedConfig &resolved, const Catalogue &catalogue);

} // namespace slipway
