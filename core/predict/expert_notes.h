// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "predict/assess.h"

namespace slipway {

// What the plan of a mixture of experts takes for granted; nothing for a dense model.
std::vector<std::string> expertNotes(const ResolvedConfig &resolved);

} // namespace slipway
