// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Unicode properties of characters, by ICU.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

bool isWhitespace(char32_t character); // White_Space
bool isNumeric(char32_t character);    // Nd, Nl, No
// \w of UTS 18: alphabetic characters, marks, digits, connectors, joiners.
bool isWordCharacter(char32_t character);

// Converts each character without context, so that a final sigma is not a special case.
void appendLowercase(std::string &out, std::string_view text);

} // namespace slipway
