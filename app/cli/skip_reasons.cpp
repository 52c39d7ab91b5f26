// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/skip_reasons.h"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::size_t kReasonsKept = 8;

} // namespace

void SkipReasons::add(const std::string &why)
{
    if (why.empty())
        return;
    if (m_points.size() < kReasonsKept || m_points.contains(why))
        ++m_points[why];
    else
        ++m_others;
}

std::string SkipReasons::text() const
{
    std::string text;
    for (const auto &[why, points] : m_points)
        text += fmt::format("{} skipped: {}\n", points, why);
    if (m_others > 0)
        text += fmt::format("{} skipped for other reasons; --csv or --json writes all\n", m_others);
    return text;
}

} // namespace slipway::cli
