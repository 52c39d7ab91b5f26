// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Untrusted text, escaped so that a terminal or a window displays it and does not interpret it, and shortened.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway {

// Valid UTF-8 in which control characters and characters that change the writing direction are escaped (\u001b), as are
// bytes that are not valid UTF-8 (\xff). The control characters in `kept` are not escaped. Text beyond `longest` bytes
// is replaced by its size.
std::string visibleText(std::string_view text, std::string_view kept, std::size_t longest = std::string_view::npos);

// The beginning of the text, of at most `longest` bytes, that cuts no character of UTF-8.
std::string_view utf8Prefix(std::string_view text, std::size_t longest);

} // namespace slipway
