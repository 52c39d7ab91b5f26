// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tokens of a model and their ids, with lookups in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway {

using TokenId = std::int32_t;

class Vocabulary {
public:
    // If a token is added twice, the last id counts.
    void add(std::string token, TokenId id)
    {
        if (static_cast<std::size_t>(id) >= m_tokens.size())
            m_tokens.resize(static_cast<std::size_t>(id) + 1);
        m_tokens[static_cast<std::size_t>(id)] = token;
        m_ids.insert_or_assign(std::move(token), id);
    }

    [[nodiscard]] std::optional<TokenId> idOf(std::string_view token) const
    {
        const auto found = m_ids.find(token);
        return found == m_ids.end() ? std::nullopt : std::optional(found->second);
    }
    // Empty if no token has this id.
    [[nodiscard]] std::string_view tokenOf(TokenId id) const
    {
        return id >= 0 && id < idLimit() ? std::string_view(m_tokens[static_cast<std::size_t>(id)])
                                         : std::string_view();
    }
    [[nodiscard]] std::size_t size() const { return m_ids.size(); }                         // number of tokens
    [[nodiscard]] TokenId idLimit() const { return static_cast<TokenId>(m_tokens.size()); } // highest id + 1
    // Id of the byte-fallback token of a byte: "<0x0A>".
    [[nodiscard]] std::optional<TokenId> idOfByte(unsigned char byte) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> m_ids;
    std::vector<std::string> m_tokens;
};

// The byte of a byte-fallback token.
std::optional<unsigned char> byteOfToken(std::string_view token);

} // namespace slipway
