// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/ascii.h"
#include "base/visible_text.h"

namespace slipway {

namespace {

// "1.97", "32.0", "130.6": what is left of a number once its unit is chosen.
std::string scaled(double value) { return value < 9.995 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value); }

// from_chars over the whole of the text; infinities and NaN are no numbers that a person means.
template<typename T>
std::optional<T> parseAll(std::string_view text)
{
    T value{};
    const char *const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stop != end)
        return std::nullopt;
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value))
            return std::nullopt;
    }
    return value;
}

// Names compare without case, and `-` is `_`: nobody remembers which one a key has.
std::string folded(std::string_view text)
{
    std::string result = toLower(text);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

// Edits, a swap of neighbours counting as one (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        std::swap(beforeLast, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

} // namespace

std::string formatBytes(Bytes bytes)
{
    static constexpr std::array<std::string_view, 5> units{"KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = std::abs(static_cast<double>(bytes));
    const char *const sign = bytes < 0 ? "-" : "";
    if (value < 1024)
        return fmt::format("{}{} B", sign, value);
    std::size_t unit = 0;
    for (value /= 1024; value >= 1023.95 && unit + 1 < units.size(); ++unit)
        value /= 1024;
    return fmt::format("{}{:.1f} {}", sign, value, units[unit]);
}

ByteUnit byteUnit(double most)
{
    static constexpr std::array<std::string_view, 6> names{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    ByteUnit unit;
    for (std::size_t i = 1; i < names.size() && most >= 1024 * unit.bytes; ++i)
        unit = {.bytes = 1024 * unit.bytes, .name = names[i]};
    return unit;
}

std::string formatCount(double count)
{
    if (!std::isfinite(count))
        return fmt::format("{}", count);
    static constexpr std::array<char, 4> units{'K', 'M', 'B', 'T'};
    const char *const sign = count < 0 ? "-" : "";
    double value = std::abs(count);
    if (value < 999.5)
        return fmt::format("{}{:.4g}", sign, value);
    std::size_t unit = 0;
    for (value /= 1000; value >= 999.95 && unit + 1 < units.size(); ++unit)
        value /= 1000;
    return sign + scaled(value) + units[unit];
}

std::string formatSeconds(Seconds seconds)
{
    if (!std::isfinite(seconds))
        return fmt::format("{}", seconds);
    if (seconds < 0)
        return "-" + formatSeconds(-seconds);
    if (seconds == 0)
        return "0 s";
    if (seconds < 0.99995e-3)
        return fmt::format("{:.1f} µs", seconds * 1e6);
    if (seconds < 0.99995)
        return fmt::format("{:.1f} ms", seconds * 1e3);
    if (seconds < 59.95)
        return fmt::format("{:.1f} s", seconds);
    if (seconds < 3599.5) {
        const auto whole = static_cast<std::int64_t>(std::lround(seconds));
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    if (seconds < 48 * 3600 - 30) {
        const auto minutes = static_cast<std::int64_t>(std::lround(seconds / 60));
        return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
    }
    return fmt::format("{:.1f} days", seconds / 86400);
}

std::string formatUsd(Usd usd)
{
    if (!std::isfinite(usd))
        return fmt::format("{}", usd);
    const char *const sign = usd < 0 ? "-" : "";
    const double value = std::abs(usd);
    if (value >= 1e-9 && value < 0.00995) // two digits, without an exponent
        return fmt::format("{}${:.{}f}", sign, value, 1 - static_cast<int>(std::floor(std::log10(value))));
    if (value < 999.995)
        return fmt::format("{}${:.2f}", sign, value);
    std::string digits = fmt::format("{:.0f}", value);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, ",");
    return fmt::format("{}${}", sign, digits);
}

std::string formatExact(double value)
{
    std::array<char, 32> buffer{};
    const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return failure == std::errc{} ? std::string(buffer.data(), end) : fmt::format("{}", value);
}

std::optional<double> parseCount(std::string_view text)
{
    double factor = 1;
    if (!text.empty()) {
        switch (lowerChar(text.back())) {
        case 'k':
            factor = 1e3;
            break;
        case 'm':
            factor = 1e6;
            break;
        case 'b':
            factor = 1e9;
            break;
        case 't':
            factor = 1e12;
            break;
        default:
            break;
        }
    }
    if (factor != 1)
        text.remove_suffix(1);
    const auto number = parseNumber(text);
    // 2^63: what no longer fits a count of tokens.
    if (!number || std::abs(*number * factor) >= 9.2233720368547758e18)
        return std::nullopt;
    return *number * factor;
}

std::optional<std::int64_t> parseInteger(std::string_view text) { return parseAll<std::int64_t>(text); }

std::optional<double> parseNumber(std::string_view text) { return parseAll<double>(text); }

std::string toLower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lowerChar);
    return result;
}

std::string_view trimmed(std::string_view text)
{
    static constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

std::string safeName(std::string_view name, const NameRules &rules)
{
    std::string safe;
    for (const char c : name) {
        const bool allowed = isLetterOrDigit(c) || rules.kept.find(c) != std::string_view::npos;
        safe += allowed || (rules.utf8 && (c & 0x80)) ? c : '-';
    }
    safe.erase(0, std::min(safe.find_first_not_of(".-"), safe.size()));
    safe.resize(utf8Prefix(safe, rules.longest).size());
    return safe.empty() ? "run" : safe;
}

std::optional<std::string> nearestName(std::string_view name, std::span<const std::string> candidates)
{
    static constexpr std::size_t longestName = 128; // beyond it nobody mistyped a name, and the distance is quadratic
    static constexpr std::size_t telling = 3;       // fewer letters begin too much
    if (name.empty() || name.size() > longestName)
        return std::nullopt;
    const std::string wanted = folded(name);
    const auto continues = [&](const std::string &candidate) { return folded(candidate).starts_with(wanted); };
    // A name that begins with what was typed is nearer than one that differs in a few letters.
    const auto longer = name.size() < telling ? candidates.end() : std::ranges::find_if(candidates, continues);
    const std::string *best = longer == candidates.end() ? nullptr : &*longer;
    const bool begun = best != nullptr;
    std::size_t bestDistance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        if (candidate.size() > longestName || (begun && !continues(candidate)))
            continue;
        const std::size_t distance = editDistance(wanted, folded(candidate));
        if (distance < bestDistance) {
            bestDistance = distance;
            best = &candidate;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

} // namespace slipway
