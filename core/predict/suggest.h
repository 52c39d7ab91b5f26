// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "predict/assess.h"

namespace slipway {

struct Advice {
    std::vector<Suggestion> suggestions;
    std::optional<Suggestion> leastFound; // if nothing fits: the changes with the least memory
};

// If the configuration does not fit: changes that make it fit, fastest first; if no single one does, several at once,
// more GPUs or a larger GPU. If it fits: changes that make it faster or cheaper per token, largest gain first. Each is
// verified by its own plan. It keeps the tokens per step, or `why` says that it does not. `asked` is the configuration
// without the settings of the framework's profile.
Advice suggest(const RunConfig &asked, const ResolvedConfig &resolved, const SharedPlan &shared, const Assessment &now,
    std::int64_t maxMicroBatch, const Catalogue &catalogue);

} // namespace slipway
