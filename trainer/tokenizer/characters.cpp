// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/characters.h"

#include <unicode/uchar.h>

#include "tokenizer/utf8.h"

namespace slipway {

namespace {

UChar32 icuOf(char32_t character) { return static_cast<UChar32>(character); }

} // namespace

bool isWhitespace(char32_t character) { return u_isUWhiteSpace(icuOf(character)) != 0; }

bool isNumeric(char32_t character) { return (U_GET_GC_MASK(icuOf(character)) & U_GC_N_MASK) != 0; }

bool isWordCharacter(char32_t character)
{
    return u_isUAlphabetic(icuOf(character)) != 0 ||
           (U_GET_GC_MASK(icuOf(character)) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
           u_hasBinaryProperty(icuOf(character), UCHAR_JOIN_CONTROL) != 0;
}

void appendLowercase(std::string &out, std::string_view text)
{
    // The only character with a lower case of two characters: SpecialCasing.txt.
    constexpr char32_t kDottedCapitalI = 0x130;
    for (std::size_t at = 0; at < text.size(); at += utf8Length(text[at])) {
        const char32_t character = utf8At(text, at);
        if (character == kDottedCapitalI)
            out.append("i\xCC\x87");
        else
            appendUtf8(out, static_cast<char32_t>(u_tolower(icuOf(character))));
    }
}

} // namespace slipway
