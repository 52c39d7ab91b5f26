// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/note_text.h"

#include "base/ascii.h"

namespace slipway {

namespace {

// The text is in small letters.
bool isWordPart(char c) { return isLower(c) || isDigit(c); }

} // namespace

std::size_t findPhrase(std::string_view text, std::string_view words, std::size_t from)
{
    for (std::size_t at = text.find(words, from); at != std::string_view::npos; at = text.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if ((at == 0 || !isLower(text[at - 1])) && (end == text.size() || !isLower(text[end])))
            return at;
    }
    return std::string_view::npos;
}

std::string_view wordBefore(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end > 0 && !isWordPart(text[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && isWordPart(text[begin - 1]))
        --begin;
    return text.substr(begin, end - begin);
}

} // namespace slipway
