// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// JSON that another program or another machine wrote. The text may be hostile: its size, depth and number of values are
// limited while it is read. Nothing else in the project calls nlohmann's parser (tests/architecture checks it).
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct JsonLimits {
    Bytes bytes = 64 * kMiB;
    std::size_t depth = 32;         // arrays and objects inside one another
    std::size_t values = 1'000'000; // in the whole text, arrays and objects included
    std::size_t keys = 100'000;     // of one object
};

// One line of a JSON lines file. Longer lines are reported and skipped, never parsed.
inline constexpr Bytes kMaxJsonLine = 64 * kKiB;
inline constexpr JsonLimits kJsonLineLimits{.bytes = kMaxJsonLine, .depth = 8, .values = 20'000, .keys = 1000};

// The value of the text. Of a key that stands twice in an object the last value counts. An error says what is wrong and
// in which line and column, never what stands there; the caller adds the file as `where`. Never throws.
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits &limits = {});

} // namespace slipway
