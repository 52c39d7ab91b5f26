// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The last search for room, some ms long: where neither a change nor what suggest_fit.h puts together is enough,
// everything is shared out over more and more ranks.
#pragma once

#include <optional>
#include <vector>

#include "predict/candidate.h"

namespace slipway {

struct FoundFit {
    Candidate candidate;
    Assessment then;
};

struct FitSearch {
    std::vector<FoundFit> fitting;
    std::optional<FoundFit> least; // of all that were planned, the least memory on a GPU
};

// On the fewest ranks that hold it, by several meshes. A step keeps its tokens, unless only more of them put enough
// ranks to use: `why` says so.
FitSearch searchFit(const Subject &subject, const Catalogue &catalogue);

} // namespace slipway
