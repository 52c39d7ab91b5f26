// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Byte-pair encoding (Sennrich, Haddow and Birch 2016): a piece of text starts as single characters or bytes. The
// adjacent pair with the earliest merge is merged until there is none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

struct BpeSettings {
    Vocabulary vocabulary;
    std::vector<std::pair<std::string, std::string>> merges; // in the order in which they were learned
    std::optional<std::string> unknown;                      // token for characters that are not in the vocabulary
    std::string prefix, suffix; // continuing_subword_prefix and end_of_word_suffix of tokenizer.json
    bool fuseUnknown = false;   // one token for adjacent unknown characters
    bool byteFallback = false;  // "<0x0A>" ... for unknown characters
    bool ignoreMerges = false;  // a piece that is a token becomes this token without merges
};

class Bpe {
public:
    // `bytes`: pieces are plain bytes, while the vocabulary is in GPT-2's byte-level form. `where` of errors is the
    // key.
    static Result<Bpe> create(BpeSettings settings, bool bytes);

    // Whether a vocabulary in byte-level form can be used on plain bytes: it has all bytes and no affixes.
    static bool canTakeBytes(const BpeSettings &settings);

    [[nodiscard]] const Vocabulary &vocabulary() const { return m_vocabulary; }

    // Workspace of one thread.
    struct Scratch;

    void encode(std::string_view piece, Scratch &scratch, std::vector<TokenId> &out) const;
    // The length of the first part of `text` whose end no merge can cross; the whole length if this is unknown.
    [[nodiscard]] std::size_t independentPart(std::string_view text) const;

private:
    struct Merge {
        std::uint32_t rank = 0;
        TokenId id = 0;
    };
    struct Entry {
        std::uint64_t pair = kNoPair;
        Merge merge;
    };
    struct Symbol {
        TokenId id = 0;
        std::int32_t previous = -1, next = -1;
        bool merged = false; // into the previous symbol
    };
    static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};
    static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

    static std::uint64_t pairOf(TokenId left, TokenId right)
    {
        return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32U) | static_cast<std::uint32_t>(right);
    }
    static std::size_t junctionOf(char32_t left, char32_t right);
    [[nodiscard]] const Merge *mergeOf(TokenId left, TokenId right) const;
    void insertMerge(std::uint64_t pair, Merge merge);
    Result<void> readMerges(const BpeSettings &settings);
    void findJunctions(const std::vector<TokenId> &merged);
    void begin(std::string_view piece, std::vector<TokenId> &ids) const;
    void addUnknown(std::string_view character, std::size_t &pending, std::vector<TokenId> &ids) const;
    void mergeShort(Scratch &scratch) const;
    void mergeLong(Scratch &scratch) const;

    Vocabulary m_vocabulary;
    Vocabulary m_ofBytes;        // the tokens as plain bytes, if pieces are plain bytes
    std::vector<Entry> m_merges; // hash table with open addressing; its size is a power of two
    std::size_t m_mask = 0;
    std::optional<TokenId> m_unknown;
    std::array<TokenId, 256> m_byteIds{};     // ids of single bytes, if pieces are plain bytes
    std::array<TokenId, 256> m_fallbackIds{}; // ids of "<0x..>"; -1: not in the vocabulary
    std::vector<std::uint64_t> m_junctions;   // bit set of hashes of adjacent characters in tokens; empty: unknown
    std::string m_prefix, m_suffix;
    bool m_bytes = false, m_fuseUnknown = false, m_byteFallback = false, m_ignoreMerges = false;
};

struct Bpe::Scratch {
    std::vector<TokenId> ids;
    std::vector<std::uint32_t> ranks;
    std::vector<Symbol> symbols;
    struct Candidate {
        std::uint32_t rank;
        std::int32_t at;
        TokenId id;
    };
    std::vector<Candidate> queue;
};

} // namespace slipway
