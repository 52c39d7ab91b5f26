// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Encodes text to token ids. Each thread needs its own object.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

class TextEncoder {
public:
    TextEncoder() = default;
    TextEncoder(const TextEncoder &) = delete;
    TextEncoder &operator=(const TextEncoder &) = delete;
    virtual ~TextEncoder() = default;
    // Appends the ids of `text`, which must be valid UTF-8. `continues`: an earlier part of the document was encoded.
    virtual Result<void> encode(std::string_view text, bool continues, std::vector<TokenId> &ids) = 0;
};

} // namespace slipway
