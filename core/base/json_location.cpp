// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/json_location.h"

#include <algorithm>
#include <charconv>

namespace slipway {

namespace {

// Moves through JSON that the parser has accepted. In any other text it stops at the end.
class Walk {
public:
    explicit Walk(std::string_view text) : m_text(text) { skipBlanks(); }

    [[nodiscard]] std::size_t offset() const { return m_at; }
    [[nodiscard]] bool isAt(char character) const { return m_at < m_text.size() && m_text[m_at] == character; }
    void skipBlanks() { m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); }
    void skipCharacter()
    {
        m_at = std::min(m_at + 1, m_text.size());
        skipBlanks();
    }
    // The string at which this is, as it is written.
    std::string_view takeString()
    {
        const std::size_t begin = m_at + 1;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
            m_at += m_text[m_at] == '\\' ? 1 : 0;
        m_at = std::min(m_at, m_text.size());
        const std::string_view content = m_text.substr(std::min(begin, m_at), m_at - std::min(begin, m_at));
        skipCharacter();
        return content;
    }
    void skipValue()
    {
        std::size_t depth = 0;
        do {
            if (isAt('"')) {
                takeString();
            } else if (isAt('{') || isAt('[')) {
                ++depth;
                skipCharacter();
            } else if (isAt('}') || isAt(']')) {
                if (depth == 0)
                    return;
                --depth;
                skipCharacter();
            } else if (isAt(',') || isAt(':')) {
                if (depth == 0)
                    return;
                skipCharacter();
            } else {
                m_at = std::min(m_text.find_first_of(",:{}[]\" \t\r\n", m_at), m_text.size());
                skipBlanks();
            }
        } while (depth > 0 && m_at < m_text.size());
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

struct Found {
    std::size_t begin = 0; // of the key or item
    Walk value;
    std::string_view rest; // of the path
};

// A key may hold dots itself, so the longest one on the path counts.
std::optional<Found> memberOf(Walk walk, std::string_view path)
{
    std::optional<Found> found;
    std::size_t longest = 0;
    for (walk.skipCharacter(); walk.isAt('"');) {
        const std::size_t begin = walk.offset();
        const std::string_view key = walk.takeString();
        if (walk.isAt(':'))
            walk.skipCharacter();
        const std::string_view rest = path.substr(std::min(key.size(), path.size()));
        const bool ends = rest.empty() || rest.front() == '.' || rest.front() == '[';
        if (!key.empty() && key.size() >= longest && path.starts_with(key) && ends) {
            longest = key.size();
            found = Found{.begin = begin, .value = walk, .rest = rest.substr(rest.starts_with('.') ? 1 : 0)};
        }
        walk.skipValue();
        if (walk.isAt(','))
            walk.skipCharacter();
    }
    return found;
}

std::optional<Found> itemOf(Walk walk, std::string_view path)
{
    std::size_t index = 0;
    const std::size_t end = path.find(']');
    if (!path.starts_with('[') || end == std::string_view::npos)
        return std::nullopt;
    if (std::from_chars(path.data() + 1, path.data() + end, index).ptr != path.data() + end)
        return std::nullopt;
    walk.skipCharacter();
    for (; index > 0 && !walk.isAt(']'); --index) {
        walk.skipValue();
        if (!walk.isAt(','))
            return std::nullopt;
        walk.skipCharacter();
    }
    if (walk.isAt(']'))
        return std::nullopt;
    const std::string_view rest = path.substr(end + 1);
    return Found{.begin = walk.offset(), .value = walk, .rest = rest.substr(rest.starts_with('.') ? 1 : 0)};
}

} // namespace

std::optional<std::size_t> lineInJson(std::string_view text, std::string_view path)
{
    Walk walk(text);
    std::size_t begin = walk.offset();
    if (begin == text.size())
        return std::nullopt;
    while (!path.empty()) {
        const std::optional<Found> found = walk.isAt('{')   ? memberOf(walk, path)
                                           : walk.isAt('[') ? itemOf(walk, path)
                                                            : std::nullopt;
        if (!found)
            break;
        begin = found->begin;
        walk = found->value;
        path = found->rest;
    }
    const std::string_view before = text.substr(0, begin);
    return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

std::string jsonLocation(const std::string &file, std::string_view text, std::string_view path)
{
    const std::optional<std::size_t> line = lineInJson(text, path);
    return line ? file + ":" + std::to_string(*line) : file;
}

} // namespace slipway
