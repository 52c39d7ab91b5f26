// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <array>
#include <cmath>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/text.h"
#include "frameworks/log_line.h"

namespace slipway {

namespace {

constexpr std::size_t kLongestPattern = 4096;
// For one line: an expression that would try for years finds nothing instead.
constexpr std::uint32_t kMostTries = 100'000;
constexpr std::uint32_t kMostHeap = 1024; // KiB

std::string groupNames()
{
    std::string names;
    for (const std::string_view name : EnumNames<LogQuantity>::names)
        names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

Error refused(const std::string &what)
{
    return {.what = what,
        .where = "log_pattern",
        .accepted = "a regular expression with a group for the step and one for the loss, such as "
                    "step (?<step>\\d+) loss (?<loss>\\S+); groups may be named " +
                    groupNames()};
}

std::string withoutColours(std::string_view line)
{
    std::string plain;
    for (std::size_t at = 0; at < line.size() && plain.size() < kLongestLogLine; ++at) {
        if (line[at] == '\x1b')
            at = std::min(line.find('m', at), line.size());
        else
            plain += line[at];
    }
    return plain;
}

} // namespace

Result<LogPattern> LogPattern::compile(const std::string &pattern)
{
    if (pattern.size() > kLongestPattern)
        return refused("has " + std::to_string(pattern.size()) + " bytes, more than 4096");
    int problem = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
        PCRE2_NEVER_BACKSLASH_C, &problem, &offset, nullptr);
    if (!code) {
        std::array<PCRE2_UCHAR, 256> words{};
        pcre2_get_error_message(problem, words.data(), words.size());
        return refused("is not understood at character " + std::to_string(offset + 1) + ": " +
                       reinterpret_cast<const char *>(words.data()));
    }
    LogPattern compiled;
    compiled.m_code = std::shared_ptr<void>(code, [](void *at) { pcre2_code_free(static_cast<pcre2_code *>(at)); });
    const auto has = [code](LogQuantity quantity) {
        const std::string name(enumName(quantity));
        return pcre2_substring_number_from_name(code, reinterpret_cast<PCRE2_SPTR>(name.c_str())) > 0;
    };
    if (!has(LogQuantity::Step) || !has(LogQuantity::Loss))
        return refused("has no group named " + std::string(has(LogQuantity::Step) ? "loss" : "step"));
    return compiled;
}

LogFigures LogPattern::match(std::string_view line) const
{
    LogFigures figures;
    const auto *const code = static_cast<const pcre2_code *>(m_code.get());
    const std::string plain = withoutColours(line);
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
        pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits(
        pcre2_match_context_create(nullptr), pcre2_match_context_free);
    pcre2_set_match_limit(limits.get(), kMostTries);
    pcre2_set_heap_limit(limits.get(), kMostHeap);
    if (pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(plain.data()), plain.size(), 0, 0, match.get(), limits.get()) <=
        0)
        return figures;
    for (std::size_t i = 0; i < kLogQuantities; ++i) {
        const std::string name(EnumNames<LogQuantity>::names[i]);
        PCRE2_UCHAR *text = nullptr;
        PCRE2_SIZE size = 0;
        if (pcre2_substring_get_byname(match.get(), reinterpret_cast<PCRE2_SPTR>(name.c_str()), &text, &size) != 0)
            continue;
        const std::string word = toLower(std::string(reinterpret_cast<const char *>(text), size));
        pcre2_substring_free(text);
        const std::optional<double> value =
            word == "nan" || word == "inf" || word == "-inf" ? std::optional(std::nan("")) : parseNumber(word);
        const auto quantity = static_cast<LogQuantity>(i);
        const bool mayBeNan = quantity == LogQuantity::Loss || quantity == LogQuantity::GradNorm;
        const bool whole = quantity != LogQuantity::Step || (value && *value >= 0 && *value <= 1e12);
        if (value && whole && (mayBeNan || std::isfinite(*value)))
            figures.values[i] = value;
    }
    return figures;
}

} // namespace slipway
