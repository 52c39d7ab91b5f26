// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Words in what people write about a run.
#pragma once

#include <string_view>

namespace slipway {

// Whether `words` stand anywhere in a text, as a part of longer ones, too.
inline bool has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

// Where `words` stand as words of their own in lower-case text, from `from` on: no letter right before or behind them,
// a number may touch them ("ep8", "lora16"). npos where they do not.
std::size_t findPhrase(std::string_view text, std::string_view words, std::size_t from = 0);

// The word before `at`: letters and digits; empty at the begin.
std::string_view wordBefore(std::string_view text, std::size_t at);

} // namespace slipway
