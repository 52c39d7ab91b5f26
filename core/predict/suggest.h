// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "predict/assess.h"

namespace slipway {

// Changes that make the subject fit, or that make it faster where it does; best tokens/s first, each with its own plan.
std::vector<Suggestion> suggest(const Subject &subject, const Assessment &now, std::int64_t maxMicroBatch, const Catalogue &catalogue);

} // namespace slipway
