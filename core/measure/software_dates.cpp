// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/software_dates.h"

#include <array>
#include <span>

#include "base/text.h"

namespace slipway {

namespace {

// A version of PyTorch and the day that it is there from.
struct Dated {
    int from;
    std::string_view version;
};
constexpr std::array kReleases{Dated{20190800, "1.2"}, Dated{20200100, "1.4"}, Dated{20200700, "1.6"},
    Dated{20201000, "1.7"}, Dated{20210300, "1.8"}, Dated{20210600, "1.9"}, Dated{20211000, "1.10"},
    Dated{20220300, "1.11"}, Dated{20220700, "1.12"}, Dated{20221100, "1.13"}, Dated{20230400, "2.0"},
    Dated{20231100, "2.1"}, Dated{20240200, "2.2"}, Dated{20240500, "2.3"}, Dated{20240800, "2.4"},
    Dated{20241100, "2.5"}, Dated{20250200, "2.6"}, Dated{20250500, "2.7"}, Dated{20250800, "2.8"},
    Dated{20251100, "2.9"}, Dated{20260200, "2.10"}};
// A release's branch is cut before it.
constexpr std::array kBranches{Dated{20241210, "2.6"}, Dated{20250317, "2.7"}, Dated{20250630, "2.8"},
    Dated{20250908, "2.9"}, Dated{20251210, "2.10"}, Dated{20260216, "2.11"}};

// The last one of `list` that is there on a day; empty: none is.
std::string_view lastOf(std::span<const Dated> list, int date)
{
    std::string_view version;
    for (const Dated &dated : list) {
        if (date >= dated.from)
            version = dated.version;
    }
    return version;
}

} // namespace

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
    const std::size_t at = lower.find("arxiv"),
                      begin = at == std::string::npos ? at : lower.find_first_of("0123456789", at);
    if (begin == std::string::npos || begin > at + 10 || lower.find('.', begin) != begin + 4)
        return 0;
    const auto digits = parseInteger(std::string_view(lower).substr(begin, 4));
    return digits && *digits % 100 >= 1 && *digits % 100 <= 12 ? 20'000'000 + static_cast<int>(*digits) * 100 : 0;
}

std::string torchOf(int date) { return std::string(lastOf(kReleases, date)); }

std::string nightlyOf(int date)
{
    const std::string_view branch = lastOf(kBranches, date);
    return branch.empty() ? torchOf(date) : std::string(branch);
}

} // namespace slipway
