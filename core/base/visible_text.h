// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Text that a terminal or a window shows and does not obey, whoever wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway {

// Valid UTF-8 in which control characters and characters that turn the writing direction are escaped (\u001b), bytes
// that are no UTF-8 too (\xff). The control characters in `kept` stay. What exceeds `longest` bytes is counted only.
std::string visibleText(std::string_view text, std::string_view kept, std::size_t longest = std::string_view::npos);

} // namespace slipway
