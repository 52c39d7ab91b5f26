// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Extracts the valid text from a piece of an input, and reports the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/document_reader.h"

namespace slipway {

struct TextRules {
    std::string field;    // JSON field that contains the text
    bool skipBad = false; // skip and count lines that cannot be read
};

struct BadLines {
    static constexpr std::size_t kMostReasons = 8;

    std::int64_t count = 0;     // skipped lines
    std::vector<Error> reasons; // for the first ones
    std::optional<Error> error; // a line that must not be skipped
};

// Receives a text of valid UTF-8 and, for JSON lines, the line number counted over all inputs.
using TakeText = std::function<void(std::string_view text, std::int64_t jsonLine)>;

// Calls `take` once with the valid part of a text document, or for each JSON line that has a text.
void forTexts(const TextPiece &piece, const std::vector<TextInput> &inputs, const TextRules &rules, BadLines &bad,
    const TakeText &take);

// The text of one JSON line. Errors have no `where`.
Result<std::string> textOfJsonLine(std::string_view line, const std::string &field);

} // namespace slipway
