// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "report/report.h"

namespace slipway {

// A report as one HTML file that loads nothing: no scripts, no pictures, no fonts. Its figures are drawn inside it.
std::string reportHtml(const Report &report);

} // namespace slipway
