// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/tokenize.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/control_group.h"
#include "data/checksum.h"
#include "data/document_encoder.h"
#include "data/document_reader.h"
#include "data/ordered_pipeline.h"
#include "data/text_input.h"
#include "data/text_sample.h"
#include "data/token_output.h"
#include "data/tokenize_journal.h"
#include "data/tokenizer.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

// Bytes of text; more text hardly changes a vocabulary.
constexpr Bytes kSentencePieceSample = 8 * kMiB, kBpeSample = 64 * kMiB;
constexpr Bytes kAheadForEach = 2 * kMiB; // bytes of text per thread that are read ahead
constexpr int kMostThreads = 1024;

// One execution of the command.
class Tokenizing {
public:
    Tokenizing(const TokenizeRequest &request, std::function<void(const TokenizeProgress &)> progress)
        : m_request(request),
          m_progress(std::move(progress)),
          m_rules{.field = request.field.empty() ? "text" : request.field, .skipBad = request.skipBad}
    {
    }

    // After an error, no empty folder remains that was not there before.
    Result<TokenizeOutcome> run();

private:
    Result<TokenizeOutcome> tokenize();
    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] std::string checksumOfRequest() const;
    Result<void> prepareTokenizer();
    Result<void> learn();
    [[nodiscard]] fs::path learnedPath() const
    {
        return m_request.out / (m_request.learned == LearnedTokenizer::Bpe ? "tokenizer.json" : "tokenizer.model");
    }
    Result<TokenOutput> openOutput();
    Result<void> encodeAll(TokenOutput &output);
    Result<void> write(EncodedPiece piece, TokenOutput &output);
    Result<void> checkInterrupted();
    [[nodiscard]] int threads() const;
    void report(TokenizeProgress progress) const
    {
        progress.total = m_totalSize;
        if (m_progress)
            m_progress(progress);
    }

    const TokenizeRequest &m_request;
    std::function<void(const TokenizeProgress &)> m_progress;
    TextRules m_rules;
    std::vector<TextInput> m_inputs;
    Bytes m_totalSize = 0;
    std::optional<Tokenizer> m_tokenizer;
    std::optional<TokenizeJournal> m_journal; // of an earlier process with the same request
    std::atomic<bool> m_stopped = false;
    std::int64_t m_tokens = 0; // produced by this process
    TokenizeOutcome m_outcome;
};

Result<void> Tokenizing::check() const
{
    if (!(m_request.evalFraction >= 0 && m_request.evalFraction < 1))
        return Error{.what = "is " + std::to_string(m_request.evalFraction),
            .where = "--eval-fraction",
            .accepted = "0 to less than 1"};
    if (m_request.threads < 0 || m_request.threads > kMostThreads)
        return Error{.what = "is " + std::to_string(m_request.threads),
            .where = "--threads",
            .accepted = "1 to " + std::to_string(kMostThreads) + ", or 0 for all cores"};
    const bool standardInput =
        std::any_of(m_inputs.begin(), m_inputs.end(), [](const TextInput &input) { return input.standardInput; });
    if (standardInput && m_request.tokenizer.empty())
        return Error{.what = "can be read only once, but training a tokenizer needs the text before it is encoded",
            .where = "standard input",
            .accepted = "--tokenizer FILE, or files"};
    return {};
}

int Tokenizing::threads() const { return m_request.threads > 0 ? m_request.threads : usableThreads(); }

// Checksum of all inputs and settings that determine the result, except the tokenizer.
std::string Tokenizing::checksumOfRequest() const
{
    std::string all =
        std::to_string(m_request.evalFraction) + "\n" + m_rules.field + "\n" + (m_rules.skipBad ? "skip" : "stop") +
        "\n" + m_request.tokenizer.string() + "\n" +
        (m_request.tokenizer.empty() ? learnedPath().string() + std::to_string(m_request.vocabSize) : "") + "\n";
    for (const TextInput &input : m_inputs)
        all += input.name + "\n" + std::to_string(input.size) + " " + std::to_string(input.modified) + " " +
               (input.jsonLines ? "lines" : "text") + "\n";
    return checksumOf(std::as_bytes(std::span(all)));
}

std::string shown(std::uint64_t checksum) { return checksumOf(std::as_bytes(std::span(&checksum, 1))); }

// Uses the given tokenizer, else the one that an interrupted process trained, else trains a new one on the texts.
Result<void> Tokenizing::prepareTokenizer()
{
    if (m_request.tokenizer.empty()) {
        if (m_journal) {
            Result<Tokenizer> earlier = Tokenizer::load(learnedPath());
            if (earlier && shown(earlier->checksum()) == m_journal->tokenizer) {
                m_tokenizer.emplace(*std::move(earlier));
                return {};
            }
        }
        if (Result<void> learned = learn(); !learned)
            return learned;
    }
    Result<Tokenizer> tokenizer = Tokenizer::load(m_request.tokenizer.empty() ? learnedPath() : m_request.tokenizer);
    if (!tokenizer)
        return tokenizer.error();
    m_tokenizer.emplace(*std::move(tokenizer));
    return {};
}

Result<void> Tokenizing::learn()
{
    const bool bpe = m_request.learned == LearnedTokenizer::Bpe;
    TextSample sample(bpe ? kBpeSample : kSentencePieceSample);
    DocumentReader reader(m_inputs, 0, {}, m_stopped);
    BadLines bad;
    for (;;) {
        const Result<std::optional<TextPiece>> piece = reader.next();
        if (!piece)
            return piece.error();
        if (!*piece)
            break;
        if (Result<void> asked = checkInterrupted(); !asked)
            return asked;
        forTexts(**piece, m_inputs, m_rules, bad, [&sample](std::string_view text, std::int64_t) { sample.add(text); });
        if (bad.error)
            return *bad.error;
        report({.stage = TokenizeProgress::Stage::Learning, .taken = (*piece)->taken});
    }
    const std::string texts[] = {std::move(sample).take()};
    return bpe ? Tokenizer::trainBpe(texts[0], m_request.vocabSize, m_request.out)
               : Tokenizer::train(texts, m_request.vocabSize, learnedPath());
}

// Continues the work of an earlier process with the same request, if it is complete.
Result<TokenOutput> Tokenizing::openOutput()
{
    const TokenOutput::Plan plan{
        .folder = m_request.out, .evaluation = m_request.evalFraction > 0, .journalEvery = m_request.journalEvery};
    const TokenizeJournal fresh{
        .request = checksumOfRequest(), .tokenizer = shown(m_tokenizer->checksum()), .position = {}};
    if (m_journal && m_journal->tokenizer == fresh.tokenizer) {
        Result<TokenOutput> output = TokenOutput::open(plan, *m_tokenizer, *m_journal);
        m_outcome.resumed = static_cast<bool>(output);
        if (output || output.error().fault != Fault::Damaged)
            return output;
    }
    Result<TokenOutput> output = TokenOutput::open(plan, *m_tokenizer, fresh);
    if (output) // otherwise it may belong to a running process
        removeJournal(m_request.out);
    return output;
}

// Returns an error if the run was interrupted, and sets m_outcome.
Result<void> Tokenizing::checkInterrupted()
{
    m_outcome.interrupted = m_request.interrupted && m_request.interrupted();
    return m_outcome.interrupted ? Result<void>(Error{.what = "was interrupted"}) : Result<void>();
}

Result<void> Tokenizing::write(EncodedPiece piece, TokenOutput &output)
{
    if (piece.bad.error)
        return *piece.bad.error;
    if (Result<void> appended = output.append(piece); !appended)
        return appended;
    for (Error &reason : piece.bad.reasons) {
        if (m_outcome.bad.size() < BadLines::kMostReasons)
            m_outcome.bad.push_back(std::move(reason));
    }
    m_outcome.textBytes += piece.textBytes;
    m_tokens += std::ssize(piece.tokens) + std::ssize(piece.evaluation);
    report({.taken = piece.taken, .textBytes = m_outcome.textBytes, .tokens = m_tokens});
    return checkInterrupted();
}

Result<void> Tokenizing::encodeAll(TokenOutput &output)
{
    DocumentReader reader(m_inputs, m_request.evalFraction, output.written().position, m_stopped);
    report({});
    const int workers = threads();
    using Pipeline = OrderedPipeline<TextPiece, EncodedPiece>;
    const auto makeWorker = [this]() -> std::function<EncodedPiece(TextPiece)> {
        const auto encoder = std::make_shared<DocumentEncoder>(*m_tokenizer, m_inputs, m_rules, m_request.evalFraction);
        return [encoder](const TextPiece &piece) { return encoder->encode(piece); };
    };
    Pipeline pipeline({.read = [&reader] { return reader.next(); },
                          .makeWorker = makeWorker,
                          .write = [&](EncodedPiece piece) { return write(std::move(piece), output); },
                          // Each piece has a constant cost, however small it is.
                          .weight = [](const TextPiece &piece) { return static_cast<Bytes>(piece.text.size()) + 4096; },
                          .wait = [this] { return checkInterrupted(); },
                          .stop = [this] { m_stopped = true; }},
        workers, kAheadForEach * (workers + 1));
    return pipeline.run();
}

Result<TokenizeOutcome> Tokenizing::run()
{
    std::error_code ignored;
    const bool isNew = !fs::exists(m_request.out, ignored);
    Result<TokenizeOutcome> outcome = tokenize();
    if (!outcome && isNew)
        fs::remove(m_request.out, ignored); // removes only an empty folder
    return outcome;
}

Result<TokenizeOutcome> Tokenizing::tokenize()
{
    Result<std::vector<TextInput>> inputs = listInputs(m_request.texts, m_request.field);
    if (!inputs)
        return inputs.error();
    m_inputs = *std::move(inputs);
    if (const Result<void> checked = check(); !checked)
        return checked.error();
    for (const TextInput &input : m_inputs)
        m_totalSize += input.size;
    std::error_code error;
    fs::create_directories(m_request.out, error);
    if (error)
        return Error{.what = "cannot create the folder: " + error.message(),
            .where = m_request.out.string(),
            .fault = Fault::Outside};
    m_journal = readJournal(m_request.out);
    if (m_journal && m_journal->request != checksumOfRequest())
        m_journal.reset();
    if (const Result<void> prepared = prepareTokenizer(); !prepared)
        return m_outcome.interrupted ? Result<TokenizeOutcome>(std::move(m_outcome)) : prepared.error();
    Result<TokenOutput> output = openOutput();
    if (!output)
        return output.error();
    Result<void> done = encodeAll(*output);
    if (done)
        done = m_request.tokenizer.empty() ? done : m_tokenizer->keepIn(m_request.out);
    if (done)
        done = output->finish();
    // If the user can resolve the error, such as a full disk, the finished part is kept. After bad input nothing is
    // kept.
    const bool kept = !done && done.error().fault == Fault::Outside && output->hasJournal();
    if (m_outcome.interrupted || kept) {
        const Result<void> left = output->keepUnfinished();
        done = m_outcome.interrupted ? left : done;
    } else if (!done) {
        removeJournal(m_request.out);
    }
    if (!done)
        return done.error();
    const TokenizeJournal &written = output->written();
    m_outcome.documents = written.documents;
    m_outcome.tokens = written.tokens;
    m_outcome.evalTokens = written.evalTokens;
    m_outcome.badLines = written.badLines;
    m_outcome.vocab = m_tokenizer->vocabSize();
    m_outcome.begin = m_tokenizer->bos();
    m_outcome.end = m_tokenizer->eos();
    return std::move(m_outcome);
}

} // namespace

Result<TokenizeOutcome> tokenizeTexts(
    const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress)
{
    return Tokenizing(request, progress).run();
}

} // namespace slipway
