// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads counts from the notes of a run.
#pragma once

#include <optional>
#include <string_view>

namespace slipway {

// "top-2", "num_experts = 8": the number after the words, with only punctuation between. At most 4,096.
std::optional<int> numberAfter(std::string_view text, std::string_view words);

// "64 experts", "8x7b": the number before the words.
std::optional<int> numberBefore(std::string_view text, std::string_view words);

} // namespace slipway
