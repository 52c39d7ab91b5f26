// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GPT-2's way to write any bytes as printable characters, one for each byte. Vocabularies of byte-level models hold
// tokens in this form: "Ġthe" is " the". Source: https://github.com/openai/gpt-2/blob/master/src/encoder.py
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

char32_t byteLevelCharacter(unsigned char byte);
std::optional<unsigned char> byteOfByteLevel(char32_t character);

void appendByteLevel(std::string &out, std::string_view bytes);
// The bytes that a token stands for; empty where it has a character that stands for none.
std::optional<std::string> bytesOfByteLevel(std::string_view token);

} // namespace slipway
