// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Properties of characters, by ICU.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

bool isWhitespace(char32_t character); // White_Space
bool isNumeric(char32_t character);    // Nd, Nl, No
// What \w stands for in UTS 18: letters and what counts as such, marks, digits, connectors, joiners.
bool isWordCharacter(char32_t character);

// Character by character: what follows does not count, so that a final sigma is no case of its own.
void appendLowercase(std::string &out, std::string_view text);

} // namespace slipway
