// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The valid text in a piece of an input, and what is wrong with the rest of it.
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
    std::string field;    // of JSON lines, that holds the text
    bool skipBad = false; // leave out lines that cannot be read, and count them
};

struct BadLines {
    static constexpr std::size_t kMostReasons = 8;

    std::int64_t count = 0;     // left out
    std::vector<Error> reasons; // of the first ones
    std::optional<Error> error; // a line that ends it all
};

// Gets a text of valid UTF-8 and, of JSON lines, the number of its line among those of all inputs.
using TakeText = std::function<void(std::string_view text, std::int64_t jsonLine)>;

// Calls `take` once with what is valid of a text document's part, and for each line of JSON that holds a text.
void forTexts(const TextPiece &piece, const std::vector<TextInput> &inputs, const TextRules &rules, BadLines &bad,
    const TakeText &take);

// The text in one line of JSON; no `where` in errors.
Result<std::string> textOfJsonLine(std::string_view line, const std::string &field);

} // namespace slipway
