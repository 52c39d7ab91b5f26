// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace slipway::cli {

// Counts the points of a sweep that were skipped, by reason. The first reasons are kept, so that a sweep of millions of
// points needs little memory; points with any other reason are only counted.
class SkipReasons {
public:
    // `why`: empty if the point was not skipped.
    void add(const std::string &why);
    // A line for each reason, and one for all others.
    [[nodiscard]] std::string text() const;

private:
    std::map<std::string, std::size_t> m_points; // by their reason
    std::size_t m_others = 0;                    // points
};

} // namespace slipway::cli
