// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Turns pieces of the inputs into token ids, between the marks of their documents.
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
    Bytes textBytes = 0, taken = 0; // taken: of the files up to here, as they lie on the disk
    BadLines bad;                   // with an error, nothing of the piece counts
    std::optional<ReadPosition> next;
};

class DocumentEncoder {
public:
    // For one thread; all that is given must outlive it. `evalFraction`: of JSON lines, the documents for evaluation.
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
