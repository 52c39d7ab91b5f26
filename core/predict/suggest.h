// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "predict/assess.h"

namespace slipway {

struct Advice {
    std::vector<Suggestion> suggestions;
    std::optional<Suggestion> leastFound; // of what does not fit, where nothing does
};

// Changes that make the subject fit, fastest first (several at once, more GPUs or a larger GPU where none alone does);
// where it fits, those that make it faster or cheaper a token, largest gain first. Each is verified by a plan of its
// own, and keeps the tokens of a step or says in `why` that it does not.
Advice suggest(const Subject &subject, const SharedPlan &shared, const Assessment &now, std::int64_t maxMicroBatch,
    const Catalogue &catalogue);

} // namespace slipway
