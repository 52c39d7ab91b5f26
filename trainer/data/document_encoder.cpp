// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/document_encoder.h"

namespace slipway {

EncodedPiece DocumentEncoder::encode(const TextPiece &piece)
{
    EncodedPiece result{.tokens = {},
        .evaluation = {},
        .textBytes = static_cast<Bytes>(piece.text.size()),
        .taken = piece.taken,
        .bad = {},
        .next = piece.next};
    const auto mark = [](std::vector<TokenId> &ids, const std::vector<TokenId> &marks) {
        ids.insert(ids.end(), marks.begin(), marks.end());
    };
    forTexts(piece, m_inputs, m_rules, result.bad, [&](std::string_view text, std::int64_t jsonLine) {
        const bool evaluation = piece.jsonLines ? isForEvaluation(jsonLine, m_evalFraction) : piece.evaluation;
        const bool begins = piece.jsonLines || piece.begins, ends = piece.jsonLines || piece.ends;
        std::vector<TokenId> &ids = evaluation ? result.evaluation : result.tokens;
        if (begins)
            mark(ids, m_tokenizer.before());
        append(text, !begins, ids, result);
        if (ends)
            mark(ids, m_tokenizer.after());
        // The evaluation part of a text document does not count as a separate document.
        result.documents += ends && !(evaluation && !piece.jsonLines) ? 1 : 0;
    });
    return result;
}

void DocumentEncoder::append(std::string_view text, bool continues, std::vector<TokenId> &ids, EncodedPiece &result)
{
    if (text.empty() || result.bad.error)
        return;
    if (const Result<void> encoded = m_encoder->encode(text, continues, ids); !encoded)
        result.bad.error = encoded.error();
}

} // namespace slipway
