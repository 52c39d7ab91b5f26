// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/text_sample.h"

#include <algorithm>
#include <utility>

namespace slipway {

namespace {

constexpr std::size_t kLongestLine = 64 << 10; // bytes; longer lines are split

} // namespace

void TextSample::add(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t newline = text.substr(0, kLongestLine).find('\n');
        const std::string_view line = text.substr(0, newline == std::string_view::npos ? kLongestLine : newline);
        text.remove_prefix(std::min(text.size(), newline == std::string_view::npos ? line.size() : line.size() + 1));
        if (m_seen++ % m_every != 0)
            continue;
        m_lines.emplace_back(line);
        m_held += static_cast<Bytes>(line.size()) + 1;
        if (m_held > m_most)
            thinOut();
    }
}

// Removes every second line, and keeps only every second line that is read from now on.
void TextSample::thinOut()
{
    std::size_t kept = 0;
    m_held = 0;
    for (std::size_t i = 0; i < m_lines.size(); i += 2) {
        m_held += static_cast<Bytes>(m_lines[i].size()) + 1;
        std::swap(m_lines[kept++], m_lines[i]);
    }
    m_lines.resize(kept);
    m_every *= 2;
}

std::string TextSample::take() &&
{
    std::string text;
    text.reserve(static_cast<std::size_t>(m_held));
    for (std::string &line : m_lines) {
        text += line;
        text += '\n';
        line = std::string();
    }
    return text;
}

} // namespace slipway
