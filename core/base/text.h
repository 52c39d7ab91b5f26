// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Formats and parses numbers and names for people. Independent of the locale.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace slipway {

std::string formatBytes(Bytes bytes); // "72.4 GiB"
// The unit for the labels of an axis that ends at `most` bytes.
struct ByteUnit {
    double bytes = 1;
    std::string_view name = "B";
};
ByteUnit byteUnit(double most);
std::string formatCount(double count);      // "1.97B", "130.6M", "32.0K"
std::string formatSeconds(Seconds seconds); // "1.2 ms", "3.4 s", "2 h 05 min", "3.2 days"
std::string formatUsd(Usd usd);             // "$12.34", "$1,234"

// The shortest text that parses to the same double, for CSV and JSON.
std::string formatExact(double value);

// Parses "20B", "1.5M", "4096", "2e9"; K, M, B, T are powers of 1000. Empty if the text is not such a number or
// overflows.
std::optional<double> parseCount(std::string_view text);
// Parses an integer or a plain decimal number, which must be the whole text.
std::optional<std::int64_t> parseInteger(std::string_view text);
std::optional<double> parseNumber(std::string_view text);

inline constexpr std::string_view kDigits = "0123456789";

std::string toLower(std::string_view text);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

// The characters of a name that others accept without quotes: letters, digits and `kept`.
struct NameRules {
    std::string_view kept;
    std::size_t longest = 0; // bytes
    bool utf8 = false;       // also any letter that is not ASCII
};
// Replaces other characters of the name by dashes, and removes dots and dashes at its start. "run" if nothing is left.
std::string safeName(std::string_view name, const NameRules &rules);

// A candidate that begins with `name`, if `name` has at least three letters. Otherwise the one with the smallest edit
// distance, if that is small enough for a typing error.
std::optional<std::string> nearestName(std::string_view name, std::span<const std::string> candidates);

} // namespace slipway
