// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Added tokens, which are found in the text before it is split into pieces: "<|endoftext|>", runs of blanks, ...
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
    std::string content;    // as written in tokenizer.json
    std::string normalized; // what is searched for: the normalized content if inNormalized, else the content
    bool singleWord = false, leftStrip = false, rightStrip = false;
    bool inNormalized = false; // searched for after the normalizer, not before it
    bool special = false;      // skipped in decoded text
};

// Finds any of several tokens, from left to right, at each position the longest one.
class TokenFinder {
public:
    void add(std::string_view text, std::size_t token);
    [[nodiscard]] bool empty() const { return m_nodes.size() == 1; }

    struct Match {
        std::size_t begin = 0, end = 0, token = 0;
    };
    // The first match from `from` on; false if there is none.
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
    // An error if a token is empty, or is empty after normalization.
    Result<void> add(AddedToken token);
    [[nodiscard]] const AddedToken *find(std::string_view content) const;
    [[nodiscard]] const AddedToken *ofId(TokenId id) const;
    [[nodiscard]] const std::vector<AddedToken> &all() const { return m_tokens; }

    // A token that was found, or the text between two tokens, with id -1.
    struct Section {
        std::string_view text;
        std::size_t begin = 0;
        TokenId id = -1;
    };
    using Take = std::function<Result<void>(const Section &section)>;
    // Splits the original text (`normalized` false) or the normalized text.
    Result<void> split(std::string_view text, bool normalized, const Take &take) const;

private:
    std::vector<AddedToken> m_tokens;
    std::unordered_map<std::string, std::size_t> m_byContent;
    std::unordered_map<TokenId, std::size_t> m_byId;
    TokenFinder m_finders[2]; // before and after the normalizer
};

} // namespace slipway
