// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "base/text.h"
#include "command.h"
#include "data/tokenize.h"

namespace slipway::train_app {

namespace {

// A line for each stage, and while encoding for each tenth of the text.
class Progress {
public:
    void operator()(const TokenizeProgress &progress)
    {
        using Stage = TokenizeProgress::Stage;
        if (progress.stage == Stage::Learning)
            fmt::print("learning a vocabulary from {} of text\n", formatBytes(progress.total));
        if (progress.stage == Stage::Encoding && progress.total > 0) {
            const int tenth = static_cast<int>(progress.done * 10 / progress.total);
            if (tenth > m_tenth)
                fmt::print("encoded {} of {}\n", formatBytes(progress.done), formatBytes(progress.total));
            m_tenth = tenth;
        }
        std::fflush(stdout);
    }

private:
    int m_tenth = -1;
};

int runTokenize(const TokenizeRequest &request)
{
    Progress progress;
    const Result<TokenizeOutcome> outcome =
        tokenizeTexts(request, [&progress](const TokenizeProgress &value) { progress(value); });
    if (!outcome)
        return report(outcome.error());
    fmt::print("{}: {} tokens of {} documents, vocabulary {}\n", (request.out / "tokens.bin").string(), outcome->tokens,
        outcome->documents, outcome->vocab);
    if (outcome->evalTokens > 0)
        fmt::print("{}: {} tokens for evaluation\n", (request.out / "eval.bin").string(), outcome->evalTokens);
    return 0;
}

} // namespace

void addTokenizeCommand(CLI::App &app, int &status)
{
    const auto request = std::make_shared<TokenizeRequest>();
    CLI::App *const command =
        addCommand(app, "tokenize", "Turn text into tokens to train on: tokens.bin, eval.bin, tokenizer.model.",
            "slipway-train tokenize book.txt articles/ --out data --vocab-size 4096");
    command->add_option("TEXT", request->texts, "Text files, or folders of them; each file is a document")->required();
    command->add_option("--out", request->out, "Folder for the results")->required();
    CLI::Option *const size =
        command->add_option("--vocab-size", request->vocabSize, "Pieces of the tokenizer that is trained")
            ->capture_default_str();
    command->add_option("--tokenizer", request->tokenizer, "A SentencePiece model to use as it is")->excludes(size);
    command
        ->add_option(
            "--eval-fraction", request->evalFraction, "Part of each document, its end, that goes to eval.bin; 0: none")
        ->capture_default_str();
    command->callback([request, &status] { status = runTokenize(*request); });
}

} // namespace slipway::train_app
