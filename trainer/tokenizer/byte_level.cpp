// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/byte_level.h"

#include <array>

#include "tokenizer/utf8.h"

namespace slipway {

namespace {

// Bytes without a printable character are mapped to consecutive characters from here on.
constexpr char32_t kOthers = 256;
constexpr std::size_t kCharacters = 324;

constexpr bool isPrintable(unsigned byte)
{
    return (byte >= 0x21U && byte <= 0x7EU) || (byte >= 0xA1U && byte <= 0xACU) || (byte >= 0xAEU && byte <= 0xFFU);
}

constexpr std::array<char32_t, 256> charactersOfBytes()
{
    std::array<char32_t, 256> characters{};
    char32_t next = kOthers;
    for (unsigned byte = 0; byte < 256; ++byte)
        characters[byte] = isPrintable(byte) ? byte : next++;
    return characters;
}

constexpr std::array<char32_t, 256> kCharacterOf = charactersOfBytes();

constexpr std::array<int, kCharacters> bytesOfCharacters()
{
    std::array<int, kCharacters> bytes{};
    bytes.fill(-1);
    for (unsigned byte = 0; byte < 256; ++byte)
        bytes[kCharacterOf[byte]] = static_cast<int>(byte);
    return bytes;
}

constexpr std::array<int, kCharacters> kByteOf = bytesOfCharacters();

} // namespace

char32_t byteLevelCharacter(unsigned char byte) { return kCharacterOf[byte]; }

std::optional<unsigned char> byteOfByteLevel(char32_t character)
{
    if (character >= kCharacters || kByteOf[character] < 0)
        return std::nullopt;
    return static_cast<unsigned char>(kByteOf[character]);
}

void appendByteLevel(std::string &out, std::string_view bytes)
{
    for (const char byte : bytes)
        appendUtf8(out, byteLevelCharacter(static_cast<unsigned char>(byte)));
}

std::optional<std::string> bytesOfByteLevel(std::string_view token)
{
    std::string bytes;
    for (std::size_t at = 0; at < token.size(); at += utf8Length(token[at])) {
        const std::optional<unsigned char> byte = byteOfByteLevel(utf8At(token, at));
        if (!byte)
            return std::nullopt;
        bytes.push_back(static_cast<char>(*byte));
    }
    return bytes;
}

} // namespace slipway
