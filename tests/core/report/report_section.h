// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>
#include <string>

#include "report/report.h"

namespace slipway {

// nullptr if the report has no section with this title.
inline const ReportSection *section(const Report &report, const std::string &title)
{
    const auto found = std::find_if(
        report.sections.begin(), report.sections.end(), [&](const ReportSection &s) { return s.title == title; });
    return found == report.sections.end() ? nullptr : &*found;
}

} // namespace slipway
