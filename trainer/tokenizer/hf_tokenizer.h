// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Hugging Face's tokenizer.json: byte-level BPE, and BPE and unigram models with byte fallback. It encodes and decodes
// like the package `tokenizers`. An unsupported feature is an error that names the key.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/bpe.h"
#include "tokenizer/decoder.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/text_encoder.h"
#include "tokenizer/unigram.h"

namespace slipway {

class HfTokenizer {
public:
    static constexpr Bytes kLargestFile = 256 * kMiB;

    // `file` is for error messages.
    static Result<HfTokenizer> parse(std::string_view json, const std::string &file);

    // One more than the highest id.
    [[nodiscard]] TokenId idLimit() const;
    [[nodiscard]] std::optional<TokenId> idOf(std::string_view token) const;
    [[nodiscard]] const AddedTokens &addedTokens() const { return m_added; }
    // The tokens that the post-processor adds before and after a text.
    [[nodiscard]] const std::vector<TokenId> &before() const { return m_before; }
    [[nodiscard]] const std::vector<TokenId> &after() const { return m_after; }

    // This tokenizer must outlive the encoder and must not be moved.
    [[nodiscard]] std::unique_ptr<TextEncoder> encoder() const;
    [[nodiscard]] std::string decode(std::span<const TokenId> ids, bool skipSpecial) const;

private:
    friend class HfEncoder;
    friend class TokenizerJsonReader;
    HfTokenizer() = default;
    [[nodiscard]] const Vocabulary &vocabulary() const;

    AddedTokens m_added;
    std::vector<NormalizerStep> m_normalizer;
    std::vector<PreTokenizerStep> m_preTokenizer;
    std::variant<Bpe, Unigram> m_model{Unigram()};
    std::vector<TokenId> m_before, m_after;
    std::optional<std::vector<DecoderStep>> m_decoder;
};

} // namespace slipway
