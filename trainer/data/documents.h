// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where documents begin and end in a row of tokens, by the tokenizer's marks.
#pragma once

#include <cstdint>
#include <span>

namespace slipway {

struct DocumentMarks {
    std::int32_t begin = -1, end = -1; // ids; -1: the tokenizer has none
};

// starts[i] = where in the row the document of tokens[i] begins: at the row's start, at a begin mark, after an end
// mark. Targets that are of another document than their token become -1.
void keepDocumentsApart(const DocumentMarks &marks, std::span<const std::int32_t> tokens,
    std::span<std::int32_t> targets, std::span<std::int32_t> starts);

} // namespace slipway
