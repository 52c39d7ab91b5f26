// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/vocabulary.h"

#include <charconv>
#include <fmt/format.h>

namespace slipway {

std::optional<TokenId> Vocabulary::idOfByte(unsigned char byte) const { return idOf(fmt::format("<0x{:02X}>", byte)); }

std::optional<unsigned char> byteOfToken(std::string_view token)
{
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>')
        return std::nullopt;
    unsigned value = 0;
    const char *const end = token.data() + 5;
    const auto read = std::from_chars(token.data() + 3, end, value, 16);
    if (read.ec != std::errc() || read.ptr != end)
        return std::nullopt;
    return static_cast<unsigned char>(value);
}

} // namespace slipway
