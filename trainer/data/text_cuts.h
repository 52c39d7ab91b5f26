// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds positions at which long texts can be split.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway {

// The position at which to split a text longer than `most` > 8 bytes, at most `most`: after a line end without a blank
// on either side, where the usual pre-tokenizers split too; else after any line end; else between two characters. The
// text may be malformed.
std::size_t splitPosition(std::string_view text, std::size_t most);

// The position at which evaluation data begins, about the last `fraction` of the text: after a line end, so that no
// character is split. The size of the text if there is no evaluation data.
std::size_t evalStart(std::string_view text, double fraction);

} // namespace slipway
