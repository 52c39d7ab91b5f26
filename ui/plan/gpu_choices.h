// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include "hardware/catalogue.h"
#include "ui/widgets/fields.h"

namespace slipway::ui {

// Returns the GPUs of the catalogue by title in alphabetical order, so that one is easy to find among many. This
// machine's processor comes last.
std::vector<Choice> gpuChoices(const Catalogue &catalogue);

} // namespace slipway::ui
