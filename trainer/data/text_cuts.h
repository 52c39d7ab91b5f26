// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a long text may be cut.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway {

// Where to cut a text that is longer than `most` > 8 bytes, at most there: behind a line's end with no blank on either
// side, where the usual pre-tokenizers cut as well; else behind any line's end; else between two characters. The text
// may be malformed.
std::size_t cutPlace(std::string_view text, std::size_t most);

// Where the part for evaluation begins, the last `fraction` of the text: behind a line's end, so that no letter is
// torn. The text's size where nothing goes there.
std::size_t evalStart(std::string_view text, double fraction);

} // namespace slipway
