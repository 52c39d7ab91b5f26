// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The interface of all kinds of tokenizers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "tokenizer/text_encoder.h"

namespace slipway {

inline constexpr Bytes kLargestTokenizer = 256 * kMiB; // size of the file

class TokenizerModel {
public:
    TokenizerModel() = default;
    TokenizerModel(const TokenizerModel &) = delete;
    TokenizerModel &operator=(const TokenizerModel &) = delete;
    virtual ~TokenizerModel() = default;

    [[nodiscard]] virtual int vocabSize() const = 0; // one more than the highest id
    // An encoder for one thread. This model must outlive it.
    [[nodiscard]] virtual std::unique_ptr<TextEncoder> encoder() const = 0;
    // All ids must be in the vocabulary. Special tokens are skipped.
    [[nodiscard]] virtual Result<std::string> decode(std::span<const std::int32_t> ids) const = 0;
    // Ids before and after a document.
    [[nodiscard]] const std::vector<TokenId> &before() const { return m_before; }
    [[nodiscard]] const std::vector<TokenId> &after() const { return m_after; }

protected:
    std::vector<TokenId> m_before, m_after;
};

// Fault::Damaged if the bytes are not a SentencePiece model. `path` is for error messages.
Result<std::unique_ptr<TokenizerModel>> readSentencePiece(
    const std::string &content, const std::filesystem::path &path);
// A tokenizer.json. Other files in the folder of `path` define the tokens around documents
// (tokenizer/document_tokens.h).
Result<std::unique_ptr<TokenizerModel>> readHfTokenizer(const std::string &content, const std::filesystem::path &path);

} // namespace slipway
