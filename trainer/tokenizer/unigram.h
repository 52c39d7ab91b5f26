// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The unigram language model (Kudo 2018): the segmentation of a text into tokens with the highest sum of scores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

struct UnigramSettings {
    std::vector<std::pair<std::string, double>> pieces; // tokens and scores; the index is the id
    std::optional<TokenId> unknown;
    bool byteFallback = false;
};

class Unigram {
public:
    static Result<Unigram> create(UnigramSettings settings);

    [[nodiscard]] const Vocabulary &vocabulary() const { return m_vocabulary; }

    struct Node {
        double score = 0;
        std::int32_t begin = -1; // start of the token that ends here on the best path; -1: none
        TokenId id = 0;
    };
    struct Scratch {
        std::vector<Node> nodes;
        std::vector<std::pair<std::size_t, std::size_t>> parts; // begin and end, in reverse order
    };
    // An error if a character is not in the vocabulary, and there is no token for unknown characters.
    Result<void> encode(std::string_view piece, Scratch &scratch, std::vector<TokenId> &out) const;

private:
    struct Edge {
        std::uint64_t key = kNoEdge; // node and byte
        std::int32_t node = 0;
    };
    static constexpr std::uint64_t kNoEdge = ~std::uint64_t{0};

    void buildTrie();
    [[nodiscard]] std::int32_t follow(std::int32_t node, char byte) const; // next node of the trie; -1: none
    void extend(std::string_view piece, std::size_t begin, std::vector<Node> &nodes) const;
    Result<void> append(std::string_view token, std::vector<TokenId> &out) const;

    Vocabulary m_vocabulary;
    std::vector<double> m_scores;
    std::vector<Edge> m_edges;      // hash table with open addressing; its size is a power of two
    std::vector<TokenId> m_tokenAt; // token that ends at each node of the trie; -1: none
    double m_unknownScore = 0;
    std::optional<TokenId> m_unknown;
    std::array<TokenId, 256> m_fallbackIds{};
    bool m_byteFallback = false;
};

} // namespace slipway
