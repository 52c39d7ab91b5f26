// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/tokenize.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "data/token_writer.h"
#include "data/tokenizer.h"

namespace slipway {

namespace {

constexpr Bytes kLargestText = 64 * kGiB, kLargestTokenizer = 256 * kMiB;
constexpr std::size_t kEncodedAtOnce = 1 << 20; // bytes

Result<std::vector<std::filesystem::path>> filesOf(const std::vector<std::filesystem::path> &texts)
{
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path &text : texts) {
        std::error_code error;
        if (!std::filesystem::is_directory(text, error)) {
            files.push_back(text);
            continue;
        }
        std::vector<std::filesystem::path> found;
        for (std::filesystem::recursive_directory_iterator entry(text, error), end; !error && entry != end;
            entry.increment(error)) {
            if (std::error_code ignored; entry->is_regular_file(ignored))
                found.push_back(entry->path());
        }
        if (error)
            return Error{.what = "cannot list: " + error.message(), .where = text.string(), .fault = Fault::Outside};
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    if (files.empty())
        return Error{
            .what = "names no text file", .where = "TEXT", .accepted = "text files, or folders with text files"};
    return files;
}

// Bytes to encode in one go: a line's end near the limit, so that no word is torn.
std::size_t pieceOf(std::string_view text)
{
    if (text.size() <= kEncodedAtOnce)
        return text.size();
    const std::size_t newline = text.rfind('\n', kEncodedAtOnce - 1);
    return newline == std::string_view::npos || newline == 0 ? kEncodedAtOnce : newline + 1;
}

// Appends a document, or a part of one, between its marks.
Result<void> appendDocument(std::string_view text, const Tokenizer &tokenizer, TokenWriter &writer)
{
    const std::int32_t begin[] = {tokenizer.bos()}, end[] = {tokenizer.eos()};
    Result<void> written = tokenizer.bos() < 0 ? Result<void>() : writer.append(begin);
    while (written && !text.empty()) {
        const std::string_view piece = text.substr(0, pieceOf(text));
        const Result<std::vector<std::int32_t>> ids = tokenizer.encode(piece);
        if (!ids)
            return ids.error();
        written = writer.append(*ids);
        text.remove_prefix(piece.size());
    }
    return written && tokenizer.eos() >= 0 ? writer.append(end) : written;
}

// Where the part for evaluation begins: after a line's end, so that no letter is torn.
std::size_t evalStart(std::string_view text, double fraction)
{
    const auto wanted = static_cast<std::size_t>(std::floor(static_cast<double>(text.size()) * (1.0 - fraction)));
    const std::size_t newline = text.find('\n', wanted);
    return fraction <= 0 || newline == std::string_view::npos ? text.size() : newline + 1;
}

using Report = std::function<void(TokenizeProgress)>;

Result<std::vector<std::string>> readTexts(const std::vector<std::filesystem::path> &files, const Report &report)
{
    std::vector<std::string> texts;
    Bytes bytes = 0;
    for (const std::filesystem::path &file : files) {
        Result<std::string> text = readFile(file, kLargestText);
        if (!text)
            return text.error();
        bytes += static_cast<Bytes>(text->size());
        texts.push_back(std::move(*text));
        report({.stage = TokenizeProgress::Stage::Reading, .done = bytes, .total = bytes});
    }
    return texts;
}

// The one that is named, else one learned from the texts, which then lies at `model`.
Result<Tokenizer> tokenizerFor(
    const TokenizeRequest &request, const std::vector<std::string> &texts, const std::filesystem::path &model)
{
    if (!request.tokenizer.empty())
        return Tokenizer::load(request.tokenizer);
    if (Result<void> trained = Tokenizer::train(texts, request.vocabSize, model); !trained)
        return trained.error();
    return Tokenizer::load(model);
}

// Lays a copy of the tokenizer beside its tokens.
Result<void> keepTokenizer(const std::filesystem::path &tokenizer, const std::filesystem::path &model)
{
    if (std::error_code error; std::filesystem::equivalent(tokenizer, model, error))
        return {};
    const Result<std::string> content = readFile(tokenizer, kLargestTokenizer);
    return content ? writeNamedFile(model, *content) : Result<void>(content.error());
}

// tokens.bin and, where a part is kept for evaluation, eval.bin.
class TokenFiles {
public:
    static Result<TokenFiles> create(const TokenizeRequest &request, const Tokenizer &tokenizer)
    {
        Result<TokenWriter> tokens =
            TokenWriter::create(request.out / "tokens.bin", tokenizer.vocabSize(), tokenizer.checksum());
        if (!tokens)
            return tokens.error();
        TokenFiles files(*std::move(tokens), request.evalFraction);
        if (request.evalFraction > 0) {
            Result<TokenWriter> eval =
                TokenWriter::create(request.out / "eval.bin", tokenizer.vocabSize(), tokenizer.checksum());
            if (!eval)
                return eval.error();
            files.m_eval.emplace(*std::move(eval));
        }
        return files;
    }

    Result<void> append(std::string_view document, const Tokenizer &tokenizer)
    {
        const std::size_t split = evalStart(document, m_evalFraction);
        const Result<void> written = appendDocument(document.substr(0, split), tokenizer, m_tokens);
        return written && m_eval && split < document.size() ? appendDocument(document.substr(split), tokenizer, *m_eval)
                                                            : written;
    }

    Result<void> finish()
    {
        const Result<void> finished = m_tokens.finish();
        return finished && m_eval ? m_eval->finish() : finished;
    }

    [[nodiscard]] std::int64_t tokens() const { return m_tokens.count(); }
    [[nodiscard]] std::int64_t evalTokens() const { return m_eval ? m_eval->count() : 0; }

private:
    TokenFiles(TokenWriter tokens, double evalFraction) : m_tokens(std::move(tokens)), m_evalFraction(evalFraction) {}

    TokenWriter m_tokens;
    std::optional<TokenWriter> m_eval;
    double m_evalFraction;
};

} // namespace

Result<TokenizeOutcome> tokenizeTexts(
    const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress)
{
    if (!(request.evalFraction >= 0 && request.evalFraction < 1))
        return Error{.what = "is " + std::to_string(request.evalFraction),
            .where = "--eval-fraction",
            .accepted = "0 to less than 1"};
    const Report report = [&progress](TokenizeProgress value) {
        if (progress)
            progress(value);
    };
    const Result<std::vector<std::filesystem::path>> files = filesOf(request.texts);
    if (!files)
        return files.error();
    const Result<std::vector<std::string>> texts = readTexts(*files, report);
    if (!texts)
        return texts.error();
    TokenizeOutcome outcome{.documents = std::ssize(*texts)};
    for (const std::string &text : *texts)
        outcome.textBytes += static_cast<Bytes>(text.size());

    std::error_code error;
    std::filesystem::create_directories(request.out, error);
    if (error)
        return Error{.what = "cannot make the folder: " + error.message(),
            .where = request.out.string(),
            .fault = Fault::Outside};
    const std::filesystem::path model = request.out / "tokenizer.model";
    if (request.tokenizer.empty())
        report({.stage = TokenizeProgress::Stage::Learning, .done = 0, .total = outcome.textBytes});
    const Result<Tokenizer> tokenizer = tokenizerFor(request, *texts, model);
    if (!tokenizer)
        return tokenizer.error();

    Result<TokenFiles> written = TokenFiles::create(request, *tokenizer);
    if (!written)
        return written.error();
    Bytes done = 0;
    for (const std::string &text : *texts) {
        if (const Result<void> appended = written->append(text, *tokenizer); !appended)
            return appended.error();
        done += static_cast<Bytes>(text.size());
        report({.stage = TokenizeProgress::Stage::Encoding, .done = done, .total = outcome.textBytes});
    }
    Result<void> finished = written->finish();
    if (finished && !request.tokenizer.empty())
        finished = keepTokenizer(request.tokenizer, model);
    if (!finished)
        return finished.error();
    outcome.vocab = tokenizer->vocabSize();
    outcome.tokens = written->tokens();
    outcome.evalTokens = written->evalTokens();
    return outcome;
}

} // namespace slipway
