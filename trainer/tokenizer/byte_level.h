// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GPT-2's byte-level form: each byte is written as one printable character. Vocabularies of byte-level models have
// tokens in this form: "Ġthe" is " the". Source: https://github.com/openai/gpt-2/blob/master/src/encoder.py
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

char32_t byteLevelCharacter(unsigned char byte);
std::optional<unsigned char> byteOfByteLevel(char32_t character);

void appendByteLevel(std::string &out, std::string_view bytes);
// The bytes of a token; empty if one of its characters represents no byte.
std::optional<std::string> bytesOfByteLevel(std::string_view token);

} // namespace slipway
