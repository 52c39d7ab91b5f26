// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// SentencePiece behind a few functions: byte-pair encoding with LLaMA's settings, so that any text comes back as it
// was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace slipway {

class Tokenizer {
public:
    // Learns `vocabSize` pieces from the texts, the same ones each time, and writes the model to `model`.
    static Result<void> train(std::span<const std::string> texts, int vocabSize, const std::filesystem::path &model);
    static Result<Tokenizer> load(const std::filesystem::path &model);
    Tokenizer(Tokenizer &&) noexcept;
    ~Tokenizer();

    [[nodiscard]] int vocabSize() const;
    [[nodiscard]] std::int32_t bos() const; // begins a document
    [[nodiscard]] std::int32_t eos() const; // ends it
    // Of the model's bytes: token files say by it who wrote them.
    [[nodiscard]] std::uint64_t checksum() const { return m_checksum; }
    [[nodiscard]] Result<std::vector<std::int32_t>> encode(std::string_view text) const;
    [[nodiscard]] Result<std::string> decode(std::span<const std::int32_t> ids) const;

private:
    Tokenizer(std::unique_ptr<sentencepiece::SentencePieceProcessor> processor, std::uint64_t checksum);
    std::unique_ptr<sentencepiece::SentencePieceProcessor> m_processor;
    std::uint64_t m_checksum;
};

} // namespace slipway
