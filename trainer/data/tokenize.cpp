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

constexpr Bytes kLargestText = 64 * kGiB;
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
        for (std::filesystem::recursive_directory_iterator entry(text, error), end; !error && entry != end; entry.increment(error)) {
            if (std::error_code ignored; entry->is_regular_file(ignored))
                found.push_back(entry->path());
        }
        if (error)
            return Error{.what = "cannot list: " + error.message(), .where = text.string(), .fault = Fault::Outside};
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    if (files.empty())
        return Error{.what = "names no text file", .where = "TEXT", .accepted = "text files, or folders with text files"};
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

} // namespace

Result<TokenizeOutcome> tokenizeTexts(const TokenizeRequest &request, const std::function<void(const TokenizeProgress &)> &progress)
{
    if (!(request.evalFraction >= 0 && request.evalFraction < 1))
        return Error{.what = "is " + std::to_string(request.evalFraction), .where = "--eval-fraction", .accepted = "0 to less than 1"};
    const Result<std::vector<std::filesystem::path>> files = filesOf(request.texts);
    if (!files)
        return files.error();
    const auto report = [&progress](TokenizeProgress value) { if (progress) progress(value); };

    TokenizeOutcome outcome;
    std::vector<std::string> texts;
    for (const std::filesystem::path &file : *files) {
        Result<std::string> text = readFile(file, kLargestText);
        if (!text)
            return text.error();
        outcome.textBytes += static_cast<Bytes>(text->size());
        texts.push_back(std::move(*text));
        report({.stage = TokenizeProgress::Stage::Reading, .done = outcome.textBytes, .total = outcome.textBytes});
    }
    outcome.documents = static_cast<std::int64_t>(texts.size());

    std::error_code error;
    std::filesystem::create_directories(request.out, error);
    if (error)
        return Error{.what = "cannot make the folder: " + error.message(), .where = request.out.string(), .fault = Fault::Outside};
    const std::filesystem::path model = request.out / "tokenizer.model";
    if (request.tokenizer.empty()) {
        report({.stage = TokenizeProgress::Stage::Learning, .done = 0, .total = outcome.textBytes});
        if (Result<void> trained = Tokenizer::train(texts, request.vocabSize, model); !trained)
            return trained.error();
    }
    const Result<Tokenizer> tokenizer = Tokenizer::load(request.tokenizer.empty() ? model : request.tokenizer);
    if (!tokenizer)
        return tokenizer.error();
    outcome.vocab = tokenizer->vocabSize();

    Result<TokenWriter> tokens = TokenWriter::create(request.out / "tokens.bin", outcome.vocab, tokenizer->checksum());
    if (!tokens)
        return tokens.error();
    std::optional<TokenWriter> evalTokens;
    if (request.evalFraction > 0) {
        Result<TokenWriter> writer = TokenWriter::create(request.out / "eval.bin", outcome.vocab, tokenizer->checksum());
        if (!writer)
            return writer.error();
        evalTokens.emplace(std::move(*writer));
    }
    Bytes done = 0;
    for (const std::string &text : texts) {
        const std::string_view whole = text;
        const std::size_t split = evalStart(whole, request.evalFraction);
        if (Result<void> written = appendDocument(whole.substr(0, split), *tokenizer, *tokens); !written)
            return written.error();
        if (evalTokens && split < whole.size()) {
            if (Result<void> written = appendDocument(whole.substr(split), *tokenizer, *evalTokens); !written)
                return written.error();
        }
        done += static_cast<Bytes>(text.size());
        report({.stage = TokenizeProgress::Stage::Encoding, .done = done, .total = outcome.textBytes});
    }
    if (Result<void> finished = tokens->finish(); !finished)
        return finished.error();
    if (evalTokens) {
        if (Result<void> finished = evalTokens->finish(); !finished)
            return finished.error();
        outcome.evalTokens = evalTokens->count();
    }
    outcome.tokens = tokens->count();
    if (!request.tokenizer.empty()) {
        std::error_code same;
        if (!std::filesystem::equivalent(request.tokenizer, model, same)) {
            const Result<std::string> content = readFile(request.tokenizer, 256 * kMiB);
            if (!content)
                return content.error();
            if (Result<void> copied = writeFileAtomically(model, *content); !copied)
                return copied.error();
        }
    }
    return outcome;
}

} // namespace slipway
