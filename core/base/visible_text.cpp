// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace slipway {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

// The character that begins at `at`. An invalid one is one byte long.
Character characterAt(std::string_view text, std::size_t at)
{
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
        return {.code = first, .bytes = 1, .valid = true};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + bytes > text.size())
        return {.code = first};
    std::uint32_t code = first & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xc0) != 0x80)
            return {.code = first};
        code = (code << 6) | (next & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return {.code = first};
    return {.code = code, .bytes = bytes, .valid = true};
}

// What a terminal or a window obeys in place of showing it.
bool isOrder(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

} // namespace

std::string visibleText(std::string_view text, std::string_view kept, std::size_t longest)
{
    std::string plain;
    plain.reserve(std::min(text.size(), longest));
    for (std::size_t at = 0; at < text.size();) {
        const Character one = characterAt(text, at);
        const std::string_view bytes = text.substr(at, one.bytes);
        const std::string piece = !one.valid ? fmt::format("\\x{:02x}", one.code)
                                  : isOrder(one.code) && kept.find(bytes.front()) == std::string_view::npos
                                      ? fmt::format("\\u{:04x}", one.code)
                                      : std::string(bytes);
        if (plain.size() + piece.size() > longest)
            return plain + fmt::format("... ({} bytes more)", text.size() - at);
        plain += piece;
        at += one.bytes;
    }
    return plain;
}

std::string_view utf8Prefix(std::string_view text, std::size_t longest)
{
    if (text.size() <= longest)
        return text;
    while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0U) == 0x80U)
        --longest;
    return text.substr(0, longest);
}

} // namespace slipway
