// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// tokens.bin, and eval.bin where a part is kept for evaluation, with the journal of the run that writes them.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "data/document_encoder.h"
#include "data/token_writer.h"
#include "data/tokenize_journal.h"

namespace slipway {

class TokenOutput {
public:
    struct Plan {
        std::filesystem::path folder;
        bool evaluation = false; // whether there is an eval.bin
        Bytes journalEvery = 0;  // bytes of text
    };
    // Continues at `from`, whose counts say how much of the files counts; Fault::Damaged where they hold less.
    static Result<TokenOutput> open(Plan plan, const Tokenizer &tokenizer, const TokenizeJournal &from);

    Result<void> append(const EncodedPiece &piece);
    // Both files appear under their names, and the journal is gone.
    Result<void> finish();
    // Keeps what an interrupted run needs to continue.
    Result<void> leave();
    [[nodiscard]] bool hasJournal() const { return m_journaled > 0; }
    [[nodiscard]] const TokenizeJournal &written() const { return m_written; }

private:
    TokenOutput(Plan plan, TokenWriter tokens, std::optional<TokenWriter> eval, const TokenizeJournal &from)
        : m_plan(std::move(plan)),
          m_tokens(std::move(tokens)),
          m_eval(std::move(eval)),
          m_written(from),
          m_resumable(from),
          m_journaled(from.position.textBytes)
    {
    }
    Result<void> journal();

    Plan m_plan;
    TokenWriter m_tokens;
    std::optional<TokenWriter> m_eval;
    TokenizeJournal m_written, m_resumable; // all that was appended; as far as a later process can continue
    Bytes m_journaled;                      // bytes of text before the place that the journal names; 0: no journal
};

} // namespace slipway
