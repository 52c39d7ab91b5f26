// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tokens that are found in the text before it is cut into pieces: "<|endoftext|>", runs of blanks, ...
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

struct AddedToken {
    TokenId id = 0;
    std::string content;    // as users write it
    std::string normalized; // what is looked for, where that is done in normalized text; else the same as content
    bool singleWord = false, leftStrip = false, rightStrip = false;
    bool inNormalized = false; // looked for after the normalizer, not before it
    bool special = false;      // left out of decoded text
};

// Finds any of several tokens: at each place the longest one, from left to right.
class TokenFinder {
public:
    void add(std::string_view text, std::size_t token);
    [[nodiscard]] bool empty() const { return m_nodes.size() == 1; }

    struct Match {
        std::size_t begin = 0, end = 0, token = 0;
    };
    // The first match from `from` on; false where there is none.
    bool find(std::string_view text, std::size_t from, Match &match) const;

private:
    static constexpr std::size_t kNone = ~std::size_t{0};
    struct Node {
        std::unordered_map<char, std::size_t> next;
        std::size_t token = kNone;
    };
    std::vector<Node> m_nodes{Node{}};
    std::array<bool, 256> m_begins{}; // whether a token begins with this byte
};

class AddedTokens {
public:
    // Error where a token is empty, or normalized to nothing.
    Result<void> add(AddedToken token);
    [[nodiscard]] const AddedToken *find(std::string_view content) const;
    [[nodiscard]] const AddedToken *ofId(TokenId id) const;
    [[nodiscard]] const std::vector<AddedToken> &all() const { return m_tokens; }

    // Each token that is found, and the text between: `text` with id -1.
    struct Section {
        std::string_view text;
        std::size_t begin = 0;
        TokenId id = -1;
    };
    using Take = std::function<Result<void>(const Section &section)>;
    // Of the text as it came (`normalized` false), and of what the normalizer made of it.
    Result<void> split(std::string_view text, bool normalized, const Take &take) const;

private:
    std::vector<AddedToken> m_tokens;
    std::unordered_map<std::string, std::size_t> m_byContent;
    std::unordered_map<TokenId, std::size_t> m_byId;
    TokenFinder m_finders[2]; // before and after the normalizer
};

} // namespace slipway
