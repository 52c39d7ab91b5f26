// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_output.h"

#include <utility>

namespace slipway {

Result<TokenOutput> TokenOutput::open(Plan plan, const Tokenizer &tokenizer, const TokenizeJournal &from)
{
    const TokenVocabulary vocabulary{.size = tokenizer.vocabSize(), .begin = tokenizer.bos(), .end = tokenizer.eos()};
    const auto writer = [&](const char *name, std::int64_t count) {
        return TokenWriter::unfinished(plan.folder / name, vocabulary, tokenizer.checksum(), count);
    };
    Result<TokenWriter> tokens = writer("tokens.bin", from.tokens);
    if (!tokens)
        return tokens.error();
    std::optional<TokenWriter> evaluation;
    if (plan.evaluation) {
        Result<TokenWriter> eval = writer("eval.bin", from.evalTokens);
        if (!eval)
            return eval.error();
        evaluation.emplace(*std::move(eval));
    }
    return TokenOutput(std::move(plan), *std::move(tokens), std::move(evaluation), from);
}

Result<void> TokenOutput::append(const EncodedPiece &piece)
{
    Result<void> appended = m_tokens.append(piece.tokens);
    if (appended && m_eval)
        appended = m_eval->append(piece.evaluation);
    if (!appended)
        return appended;
    m_written.documents += piece.documents;
    m_written.badLines += piece.bad.count;
    m_written.tokens = m_tokens.count();
    m_written.evalTokens = m_eval ? m_eval->count() : 0;
    if (!piece.next)
        return {};
    m_written.position = *piece.next;
    m_resumable = m_written;
    return m_written.position.textBytes - m_journaled >= m_plan.journalEvery ? journal() : Result<void>();
}

// The journal must only refer to data that is already on the disk.
Result<void> TokenOutput::journal()
{
    Result<void> done = m_tokens.sync();
    if (done && m_eval)
        done = m_eval->sync();
    if (done)
        done = writeJournal(m_plan.folder, m_resumable);
    if (done)
        m_journaled = m_resumable.position.textBytes;
    return done;
}

Result<void> TokenOutput::keepUnfinished()
{
    const Result<void> written = journal();
    m_tokens.keepUnfinished();
    if (m_eval)
        m_eval->keepUnfinished();
    return written;
}

Result<void> TokenOutput::finish()
{
    Result<void> finished = m_tokens.finish();
    if (finished && m_eval)
        finished = m_eval->finish();
    if (finished)
        removeJournal(m_plan.folder);
    return finished;
}

} // namespace slipway
