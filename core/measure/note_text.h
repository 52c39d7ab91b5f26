// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Searches words in the notes of a run.
#pragma once

#include <string_view>

namespace slipway {

// Whether a text contains `words`, also inside longer words.
inline bool has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

// The position of `words` as separate words in lower-case text, from `from` on. No letter may touch them, but a number
// may ("ep8", "lora16"). npos if there are none.
std::size_t findPhrase(std::string_view text, std::string_view words, std::size_t from = 0);

// The word of letters and digits before `at`; empty at the start of the text.
std::string_view wordBefore(std::string_view text, std::size_t at);

} // namespace slipway
