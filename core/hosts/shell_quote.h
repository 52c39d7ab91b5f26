// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slipway {

// Quotes one word for a POSIX shell. It may contain any bytes but NUL, which an argument cannot contain. All quoting
// for shells uses this function.
std::string shellQuoted(std::string_view word);
std::string shellQuoted(std::span<const std::string> words); // joined by spaces

} // namespace slipway
