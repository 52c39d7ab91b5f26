// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The output of tokenization: tokens.bin, eval.bin if there is evaluation data, and the journal for resuming.
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
        Bytes journalEvery = 0;  // bytes of text between two writes of the journal
    };
    // Continues at `from`, which has the number of valid tokens in the files. Fault::Damaged if there are fewer.
    static Result<TokenOutput> open(Plan plan, const Tokenizer &tokenizer, const TokenizeJournal &from);

    Result<void> append(const EncodedPiece &piece);
    // Renames both files into place and removes the journal.
    Result<void> finish();
    // Keeps the state that an interrupted run needs to continue.
    Result<void> keepUnfinished();
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
    TokenizeJournal m_written, m_resumable; // after all appended tokens; last state from which a process can continue
    Bytes m_journaled;                      // bytes of text before the position in the journal; 0: no journal
};

} // namespace slipway
