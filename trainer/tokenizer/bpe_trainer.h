// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Learns a byte-level BPE vocabulary (Sennrich, Haddow and Birch 2016) and writes it as a tokenizer.json of Hugging
// Face: bytes, GPT-2's pattern of words, each digit alone.
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

// Ends documents; its id is 0.
inline constexpr std::string_view kLearnedEnd = "<|endoftext|>";

class BpeTrainer {
public:
    static constexpr int kSmallestVocab = 257; // the bytes and kLearnedEnd

    // Counts the words of valid UTF-8.
    Result<void> add(std::string_view text);
    // The file's text, of exactly `vocabSize` tokens and the same one each time. An error with `where` --vocab-size
    // where it is too small, or the text too short for so many.
    [[nodiscard]] Result<std::string> train(int vocabSize) const;

private:
    std::unordered_map<std::string, std::int64_t> m_words; // plain bytes
};

// What is written next to the tokenizer.json: tokenizer_config.json.
std::string learnedTokenizerConfig();

} // namespace slipway
