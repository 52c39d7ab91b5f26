// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Encodes pieces of the inputs to token ids, including the marks of documents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/document_reader.h"
#include "data/piece_texts.h"
#include "data/tokenizer.h"

namespace slipway {

struct EncodedPiece {
    std::vector<TokenId> tokens, evaluation;
    std::int64_t documents = 0;
    Bytes textBytes = 0, taken = 0; // taken: bytes of the files up to here, before decompression
    BadLines bad;                   // if it has an error, the piece is ignored
    std::optional<ReadPosition> next;
};

class DocumentEncoder {
public:
    // Not thread-safe; the arguments must outlive it. `evalFraction`: fraction of JSON-lines documents for evaluation.
    DocumentEncoder(
        const Tokenizer &tokenizer, const std::vector<TextInput> &inputs, const TextRules &rules, double evalFraction)
        : m_tokenizer(tokenizer),
          m_inputs(inputs),
          m_rules(rules),
          m_evalFraction(evalFraction),
          m_encoder(tokenizer.encoder())
    {
    }

    EncodedPiece encode(const TextPiece &piece);

private:
    void append(std::string_view text, bool continues, std::vector<TokenId> &ids, EncodedPiece &result);

    const Tokenizer &m_tokenizer;
    const std::vector<TextInput> &m_inputs;
    const TextRules &m_rules;
    double m_evalFraction;
    std::unique_ptr<TextEncoder> m_encoder;
};

} // namespace slipway
