// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/progress_line.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace slipway::cli {

ProgressLine::ProgressLine(std::string what, std::size_t all)
    : m_what(std::move(what)),
      m_all(all),
      m_terminal(::isatty(STDERR_FILENO) != 0)
{
}

void ProgressLine::advance()
{
    ++m_done;
    if (!m_terminal || Clock::now() - m_shown < std::chrono::milliseconds(200))
        return;
    m_shown = Clock::now();
    show();
}

void ProgressLine::show()
{
    const double seconds = std::chrono::duration<double>(m_shown - m_begin).count();
    const double left = seconds / static_cast<double>(m_done) * static_cast<double>(m_all - m_done);
    std::fputs(fmt::format("\r\033[K{} of {} {}, {} left", m_done, m_all, m_what, formatSeconds(left)).c_str(), stderr);
}

void ProgressLine::finish()
{
    if (m_terminal)
        std::fputs("\r\033[K", stderr);
}

} // namespace slipway::cli
