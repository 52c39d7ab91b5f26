// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/software_dates.h"

#include "base/text.h"

namespace slipway {

int dateOf(std::string_view text)
{
    const std::size_t at = text.find("(20");
    if (at == std::string_view::npos || text.size() < at + 9 || text[at + 5] != '-')
        return 0;
    const auto part = [&](std::size_t from, std::size_t length) {
        return static_cast<int>(parseInteger(text.substr(at + from, length)).value_or(0));
    };
    const int year = part(1, 4), month = part(6, 2);
    return year && month ? year * 10000 + month * 100 + (text[at + 8] == '-' && text.size() > at + 10 ? part(9, 2) : 0)
                         : 0;
}

int dateOfPaper(std::string_view text)
{
    const std::string lower = toLower(text);
    const std::size_t at = lower.find("arxiv"), begin = at == std::string::npos ? at : lower.find_first_of(kDigits, at);
    if (begin == std::string::npos || begin > at + 10 || lower.find('.', begin) != begin + 4)
        return 0;
    const auto digits = parseInteger(std::string_view(lower).substr(begin, 4));
    return digits && *digits % 100 >= 1 && *digits % 100 <= 12 ? 20'000'000 + static_cast<int>(*digits) * 100 : 0;
}

} // namespace slipway
