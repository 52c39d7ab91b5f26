// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "report/report.h"

namespace slipway {

// A report as a single self-contained HTML file, without scripts, images and fonts. Figures are inline SVG.
std::string reportHtml(const Report &report);

} // namespace slipway
