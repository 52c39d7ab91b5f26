// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/note_numbers.h"

#include "base/text.h"

namespace slipway {

namespace {

std::optional<int> count(std::string_view digits)
{
    const auto number = parseInteger(digits);
    return number && *number > 0 && *number <= 4096 ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

} // namespace

std::optional<int> numberAfter(std::string_view text, std::string_view words)
{
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
        const std::size_t begin = text.find_first_not_of(" =:_-", at + words.size());
        if (begin == std::string_view::npos || kDigits.find(text[begin]) == std::string_view::npos)
            continue;
        return count(text.substr(begin, text.find_first_not_of(kDigits, begin) - begin));
    }
    return std::nullopt;
}

std::optional<int> numberBefore(std::string_view text, std::string_view words)
{
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
        const std::size_t last = at == 0 ? std::string_view::npos : text.find_last_not_of(" -_", at - 1);
        if (last == std::string_view::npos || kDigits.find(text[last]) == std::string_view::npos)
            continue;
        const std::size_t before = text.find_last_not_of(kDigits, last);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        return count(text.substr(begin, last + 1 - begin));
    }
    return std::nullopt;
}

} // namespace slipway
