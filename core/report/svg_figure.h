// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace slipway {

// Text inside an element or a quoted attribute of HTML and SVG. Control characters become spaces.
std::string htmlText(std::string_view text);

// A figure as an <svg> element for a page whose style sheet has the classes of styleOfFigures().
std::string svgFigure(const ReportFigure &figure);
// Colors of figures, for light and dark screens.
std::string styleOfFigures();

} // namespace slipway
