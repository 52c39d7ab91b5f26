// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/text_cuts.h"

#include <cmath>

#include "tokenizer/characters.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr std::size_t kLongestCharacter = 4; // bytes

bool isBlank(std::string_view character)
{
    if (character.empty() || invalidUtf8At(character) != std::string_view::npos)
        return false;
    const char32_t only = onlyCharacter(character);
    return only != 0 && isWhitespace(only);
}

// The character that ends before `at`, if the text is well-formed there.
std::string_view characterBefore(std::string_view text, std::size_t at)
{
    std::size_t begin = at;
    while (begin > 0 && at - begin < kLongestCharacter && isUtf8Continuation(text[begin - 1]))
        --begin;
    begin -= begin > 0 ? 1 : 0;
    return text.substr(begin, at - begin);
}

std::string_view characterAt(std::string_view text, std::size_t at)
{
    return at < text.size() ? text.substr(at, utf8Length(text[at])) : std::string_view();
}

} // namespace

std::size_t splitPosition(std::string_view text, std::size_t most)
{
    const std::string_view part = text.substr(0, most);
    std::size_t anyLine = 0;
    for (std::size_t newline = part.rfind('\n'); newline != std::string_view::npos && newline > 0;
        newline = part.rfind('\n', newline - 1)) {
        if (anyLine == 0)
            anyLine = newline + 1;
        if (!isBlank(characterBefore(text, newline)) && !isBlank(characterAt(text, newline + 1)))
            return newline + 1;
        if (newline < most / 2) // a small piece would cost more time than it saves
            break;
    }
    if (anyLine > 0)
        return anyLine;
    std::size_t cut = most;
    while (most - cut < kLongestCharacter && isUtf8Continuation(text[cut]))
        --cut;
    return cut;
}

std::size_t evalStart(std::string_view text, double fraction)
{
    const auto wanted = static_cast<std::size_t>(std::floor(static_cast<double>(text.size()) * (1.0 - fraction)));
    const std::size_t newline = text.find('\n', wanted);
    return fraction <= 0 || newline == std::string_view::npos ? text.size() : newline + 1;
}

} // namespace slipway
