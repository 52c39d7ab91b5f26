// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the kinds of tokenizers have in common.
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

inline constexpr Bytes kLargestTokenizer = 256 * kMiB; // the file

class TokenizerModel {
public:
    TokenizerModel() = default;
    TokenizerModel(const TokenizerModel &) = delete;
    TokenizerModel &operator=(const TokenizerModel &) = delete;
    virtual ~TokenizerModel() = default;

    [[nodiscard]] virtual int vocabSize() const = 0; // one more than the highest id
    // For one thread. Refers to this model, which must outlive it.
    [[nodiscard]] virtual std::unique_ptr<TextEncoder> encoder() const = 0;
    // Of ids of the vocabulary; special tokens are left out.
    [[nodiscard]] virtual Result<std::string> decode(std::span<const std::int32_t> ids) const = 0;
    // Ids before and behind a document; empty: none.
    [[nodiscard]] const std::vector<TokenId> &before() const { return m_before; }
    [[nodiscard]] const std::vector<TokenId> &behind() const { return m_behind; }

protected:
    std::vector<TokenId> m_before, m_behind;
};

// Fault::Damaged where the bytes are no SentencePiece model. `path` is where errors say that they are.
Result<std::unique_ptr<TokenizerModel>> readSentencePiece(
    const std::string &content, const std::filesystem::path &path);
// A tokenizer.json; the files next to `path` say what stands around a document (tokenizer/document_tokens.h).
Result<std::unique_ptr<TokenizerModel>> readHfTokenizer(const std::string &content, const std::filesystem::path &path);

} // namespace slipway
