// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace slipway {

// One word for a POSIX shell, whatever bytes it holds but NUL, which no argument can carry. The only quoting there is.
std::string shellQuoted(std::string_view word);
std::string shellQuoted(std::span<const std::string> words); // joined by spaces

} // namespace slipway
