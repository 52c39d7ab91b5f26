// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a row's source and note say about the software that ran: versions, recipes, and switches that no column has.
// Figures in a note are never read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// `source` names the repository, and the file or page in it. Changes the configuration to what they say, and returns
// what was taken for what: "recompute_ops layer-alternate (note)".
// With a profile only what they say counts, not who wrote them.
std::vector<std::string> applySoftwareNotes(
    std::string_view source, std::string_view notes, RunConfig &config, ModelSpec &model, bool hasProfile = false);

// Whether the row's tokens/s follow from the hours or days of a whole run ("derived from 4830 A100 hours"), which took
// more than its steps.
bool fromWholeRun(std::string_view notes);

// Whether the row's time ends with backward: "forward and backward alone".
bool timesPassesOnly(std::string_view notes);

} // namespace slipway
