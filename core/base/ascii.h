// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Kinds of ASCII characters. They do not depend on the locale, and no byte of another character is of any kind.
#pragma once

namespace slipway {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isLetterOrDigit(char c) { return isLower(c) || isUpper(c) || isDigit(c); }

// The small letter of a capital. Any other character stays as it is.
constexpr char lowerChar(char c) { return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace slipway
