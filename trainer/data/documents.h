// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds the boundaries of documents in a sequence of tokens by the tokenizer's marks.
#pragma once

#include <cstdint>
#include <span>

namespace slipway {

struct DocumentMarks {
    std::int32_t begin = -1, end = -1; // ids; -1: the tokenizer has none
};

// starts[i] = index of the first token of the document of tokens[i]. A document begins at the start of the sequence, at
// a begin mark, or after an end mark. Targets that belong to another document than their token become -1.
void separateDocuments(const DocumentMarks &marks, std::span<const std::int32_t> tokens,
    std::span<std::int32_t> targets, std::span<std::int32_t> starts);

} // namespace slipway
