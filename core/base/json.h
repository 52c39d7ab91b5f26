// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parses JSON that another program or machine wrote. The text may be malicious, so its size, nesting depth and number
// of values are limited during parsing. No other code in the project calls nlohmann's parser (tests/architecture checks
// this).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct JsonLimits {
    Bytes bytes = 64 * kMiB;
    std::size_t depth = 32;         // nesting depth of arrays and objects
    std::size_t values = 1'000'000; // of the whole text, including arrays and objects
    std::size_t keys = 100'000;     // keys per object
};

// Length of one line of a JSON lines file. Longer lines are reported and skipped without being parsed.
inline constexpr Bytes kMaxJsonLine = 64 * kKiB;
inline constexpr JsonLimits kJsonLineLimits{.bytes = kMaxJsonLine, .depth = 8, .values = 20'000, .keys = 1000};

// Parses the text. If an object repeats a key, the last value is used. An error describes the problem with its line and
// column but never quotes the text; the caller adds the file as `where`. Never throws.
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits &limits = {});
// Parses the text of a file that the user gave. An error has "FILE:LINE" as `where`, or the file alone if the text is
// over a limit.
Result<nlohmann::json> parseJsonFile(std::string_view text, const std::string &file, const JsonLimits &limits = {});

} // namespace slipway
