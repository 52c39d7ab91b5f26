// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Trains a byte-level BPE vocabulary (Sennrich, Haddow and Birch 2016), in the format of Hugging Face's tokenizer.json,
// with GPT-2's pattern of words and single digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

// The token that ends documents; its id is 0.
inline constexpr std::string_view kLearnedEnd = "<|endoftext|>";

class BpeTrainer {
public:
    static constexpr int kSmallestVocab = 257; // the bytes and kLearnedEnd

    // Counts the words of valid UTF-8.
    Result<void> add(std::string_view text);
    // The text of tokenizer.json with exactly `vocabSize` tokens. Deterministic. An error with `where` --vocab-size if
    // it is too small, or the text too short for that many tokens.
    [[nodiscard]] Result<std::string> train(int vocabSize) const;

private:
    std::unordered_map<std::string, std::int64_t> m_words; // plain bytes
};

// The tokenizer_config.json for it.
std::string learnedTokenizerConfig();

} // namespace slipway
