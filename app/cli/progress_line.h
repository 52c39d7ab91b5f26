// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace slipway::cli {

// Shows and updates a line such as "1,024 of 2,520 points, 3 s left" on standard error if it is a terminal. Otherwise
// it prints nothing.
class ProgressLine {
public:
    ProgressLine(std::string what, std::size_t all);
    void advance();
    void finish(); // clears the line

private:
    void show();

    using Clock = std::chrono::steady_clock;
    std::string m_what;
    std::size_t m_done = 0, m_all;
    bool m_terminal;
    Clock::time_point m_begin = Clock::now(), m_shown = m_begin;
};

} // namespace slipway::cli
