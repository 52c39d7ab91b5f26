// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/utf8.h"

#include <cstring>

namespace slipway {

namespace {

struct Sequence {
    std::size_t length = 1; // length in bytes, at least one
    bool valid = false;
};

// The sequence at the start of `text`. If it is malformed, its longest part that could begin a valid one.
Sequence sequenceAt(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80U)
        return {.length = 1, .valid = true};
    const std::size_t wanted = first >= 0xC2U && first <= 0xDFU   ? 2
                               : first >= 0xE0U && first <= 0xEFU ? 3
                               : first >= 0xF0U && first <= 0xF4U ? 4
                                                                  : 0;
    if (wanted == 0)
        return {};
    for (std::size_t i = 1; i < wanted; ++i) {
        unsigned low = 0x80U, high = 0xBFU;
        if (i == 1) { // excludes overlong forms, surrogates, and characters above U+10FFFF
            low = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : low;
            high = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : high;
        }
        if (i >= text.size() || static_cast<unsigned char>(text[i]) < low || static_cast<unsigned char>(text[i]) > high)
            return {.length = i, .valid = false};
    }
    return {.length = wanted, .valid = true};
}

// Skips ASCII bytes from `at`, eight at a time.
std::size_t skipAscii(std::string_view text, std::size_t at)
{
    while (at + 8 <= text.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        if ((word & 0x8080808080808080U) != 0)
            break;
        at += 8;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80U)
        ++at;
    return at;
}

} // namespace

std::size_t invalidUtf8At(std::string_view text)
{
    for (std::size_t at = skipAscii(text, 0); at < text.size(); at = skipAscii(text, at)) {
        const Sequence sequence = sequenceAt(text.substr(at));
        if (!sequence.valid)
            return at;
        at += sequence.length;
    }
    return std::string_view::npos;
}

std::size_t replaceInvalidUtf8(std::string &text)
{
    std::size_t at = invalidUtf8At(text);
    if (at == std::string_view::npos)
        return 0;
    const std::string_view old = text;
    std::string mended(old.substr(0, at));
    std::size_t replaced = 0;
    while (at < old.size()) {
        const Sequence sequence = sequenceAt(old.substr(at));
        if (sequence.valid)
            mended.append(old.substr(at, sequence.length));
        else
            mended.append("\xEF\xBF\xBD");
        replaced += sequence.valid ? 0 : 1;
        at += sequence.length;
    }
    text = std::move(mended);
    return replaced;
}

void appendUtf8(std::string &text, char32_t character)
{
    const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    if (character < 0x80U) {
        put(character);
    } else if (character < 0x800U) {
        put(0xC0U | (character >> 6U));
        put(0x80U | (character & 0x3FU));
    } else if (character < 0x10000U) {
        put(0xE0U | (character >> 12U));
        put(0x80U | ((character >> 6U) & 0x3FU));
        put(0x80U | (character & 0x3FU));
    } else {
        put(0xF0U | (character >> 18U));
        put(0x80U | ((character >> 12U) & 0x3FU));
        put(0x80U | ((character >> 6U) & 0x3FU));
        put(0x80U | (character & 0x3FU));
    }
}

char32_t onlyCharacter(std::string_view text)
{
    return !text.empty() && utf8Length(text[0]) == text.size() ? utf8At(text, 0) : 0;
}

} // namespace slipway
