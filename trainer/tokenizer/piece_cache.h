// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A cache of the encodings of short pieces. Most pieces of a text recur. Its size is fixed: a piece replaces another
// one with the same hash.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace slipway {

class PieceCache {
public:
    PieceCache() : m_slots(kSlots) {}

    [[nodiscard]] std::optional<std::span<const TokenId>> find(std::string_view piece) const
    {
        if (piece.size() > kLongestPiece)
            return std::nullopt;
        const Slot &slot = m_slots[slotOf(piece)];
        if (slot.length != piece.size() || std::memcmp(slot.piece.data(), piece.data(), piece.size()) != 0)
            return std::nullopt;
        return std::span<const TokenId>(slot.ids.data(), slot.count);
    }

    void insert(std::string_view piece, std::span<const TokenId> ids)
    {
        if (piece.empty() || piece.size() > kLongestPiece || ids.size() > kMostIds)
            return;
        Slot &slot = m_slots[slotOf(piece)];
        slot.length = static_cast<std::uint8_t>(piece.size());
        slot.count = static_cast<std::uint8_t>(ids.size());
        std::memcpy(slot.piece.data(), piece.data(), piece.size());
        std::copy(ids.begin(), ids.end(), slot.ids.begin());
    }

private:
    static constexpr std::size_t kSlots = 1 << 16, kLongestPiece = 30, kMostIds = 8;
    struct alignas(64) Slot { // one cache line
        std::uint8_t length = 0, count = 0;
        std::array<char, kLongestPiece> piece{};
        std::array<TokenId, kMostIds> ids{};
    };
    static_assert(sizeof(Slot) == 64);

    // Mixes up to 30 bytes: the first and last words, which overlap if the piece is short.
    static std::size_t slotOf(std::string_view piece)
    {
        const auto word = [&piece](std::size_t at) {
            std::uint64_t value = 0;
            std::memcpy(&value, piece.data() + at, std::min<std::size_t>(8, piece.size() - at));
            return value;
        };
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
        std::uint64_t hash = piece.size() * kOdd;
        for (std::size_t at = 0; at < piece.size(); at += 8)
            hash = (hash ^ word(at)) * kOdd ^ (hash >> 29U);
        return static_cast<std::size_t>((hash ^ (hash >> 32U)) * kOdd >> 48U);
    }

    std::vector<Slot> m_slots;
};

} // namespace slipway
