// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// UTF-8 by characters. The text for a tokenizer is validated once, so that loops over it need no checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slipway {

// Position of the first byte that is not valid UTF-8 (The Unicode Standard, table 3-7); npos if there is none.
std::size_t invalidUtf8At(std::string_view text);

// Replaces each maximal malformed part by U+FFFD, as Python's bytes.decode(errors="replace"). Returns their number.
std::size_t replaceInvalidUtf8(std::string &text);

// Length in bytes of the character that begins with this byte, in valid text.
constexpr std::size_t utf8Length(char first)
{
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80U ? 1 : byte < 0xE0U ? 2 : byte < 0xF0U ? 3 : 4;
}

constexpr bool isUtf8Continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The character at position `at` of valid text.
constexpr char32_t utf8At(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
    switch (utf8Length(text[at])) {
    case 1:
        return byte(0);
    case 2:
        return ((byte(0) & 0x1FU) << 6U) | (byte(1) & 0x3FU);
    case 3:
        return ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
    default:
        return ((byte(0) & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) | (byte(3) & 0x3FU);
    }
}

// Position of the character before `at`; at > 0.
constexpr std::size_t utf8Before(std::string_view text, std::size_t at)
{
    --at;
    while (at > 0 && isUtf8Continuation(text[at]))
        --at;
    return at;
}

void appendUtf8(std::string &text, char32_t character);

// The only character of a text; 0 if it has none or several.
char32_t onlyCharacter(std::string_view text);

} // namespace slipway
