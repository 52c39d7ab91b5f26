// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Byte-pair encoding (Sennrich, Haddow and Birch 2016): a piece of text begins as single characters or bytes, and the
// pair of neighbours whose merge was learned first is merged, until none is left.
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
    std::vector<std::pair<std::string, std::string>> merges; // the first one learned first
    std::optional<std::string> unknown;                      // token for characters that the vocabulary lacks
    std::string prefix, suffix;                              // of what begins no word, and of what ends one
    bool fuseUnknown = false;                                // one token for neighbouring unknown characters
    bool byteFallback = false;                               // "<0x0A>" ... for unknown characters
    bool ignoreMerges = false; // a piece that is a token becomes this token, whatever the merges say
};

class Bpe {
public:
    // `bytes`: pieces come as plain bytes, and the vocabulary is in GPT-2's form of them. The errors' `where` is the
    // key.
    static Result<Bpe> create(BpeSettings settings, bool bytes);

    // Whether a vocabulary in GPT-2's form can be used on plain bytes: it has them all, and no affixes.
    static bool canTakeBytes(const BpeSettings &settings);

    [[nodiscard]] const Vocabulary &vocabulary() const { return m_vocabulary; }

    // What one thread needs while it encodes.
    struct Scratch;

    void encode(std::string_view piece, Scratch &scratch, std::vector<TokenId> &out) const;
    // The length of the first part of `text` that no merge crosses the end of; all of it where that is not known.
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
        bool merged = false; // into the one before it
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
    Vocabulary m_ofBytes;        // the tokens as plain bytes, where pieces are plain bytes
    std::vector<Entry> m_merges; // open addressing; a power of two
    std::size_t m_mask = 0;
    std::optional<TokenId> m_unknown;
    std::array<TokenId, 256> m_byteIds{};     // of single bytes, where pieces are plain bytes
    std::array<TokenId, 256> m_fallbackIds{}; // of "<0x..>"; -1: not in the vocabulary
    std::vector<std::uint64_t> m_junctions;   // a bit for each hash of two neighbours inside a token; empty: unknown
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
