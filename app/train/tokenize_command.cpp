// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "command.h"
#include "data/tokenize.h"
#include "run/stop_monitor.h"

namespace slipway::train_app {

namespace {

using Clock = std::chrono::steady_clock;

// Prints a line for each tenth of the input, and also from time to time if a tenth takes long or the size is unknown.
class Progress {
public:
    void operator()(const TokenizeProgress &progress)
    {
        const Clock::time_point now = Clock::now();
        if (progress.stage == TokenizeProgress::Stage::Learning) {
            if (!m_learning)
                fmt::print("training a tokenizer on {} of input\n", formatBytes(progress.total));
            m_learning = true;
        } else if (!m_begin) {
            m_begin = m_shown = now;
        } else {
            const int tenth = progress.total > 0 ? static_cast<int>(progress.taken * 10 / progress.total) : 0;
            if (tenth > m_tenth || now - m_shown > std::chrono::seconds(30))
                show(progress, now);
            m_tenth = std::max(m_tenth, tenth);
        }
        std::fflush(stdout);
    }

private:
    void show(const TokenizeProgress &progress, Clock::time_point now)
    {
        m_shown = now;
        const double seconds = std::max(std::chrono::duration<double>(now - *m_begin).count(), 1e-3);
        const auto tokens = static_cast<double>(progress.tokens);
        fmt::print("encoded {} of text: {} tokens, {} tokens/s, {}/s", formatBytes(progress.textBytes),
            formatCount(tokens), formatCount(tokens / seconds),
            formatBytes(static_cast<Bytes>(static_cast<double>(progress.textBytes) / seconds)));
        if (progress.total > 0)
            fmt::print("; read {} of {}", formatBytes(progress.taken), formatBytes(progress.total));
        fmt::print("\n");
    }

    bool m_learning = false;
    std::optional<Clock::time_point> m_begin;
    Clock::time_point m_shown;
    int m_tenth = 0;
};

std::string markText(std::int32_t id) { return id < 0 ? "none" : std::to_string(id); }

std::map<std::string, LearnedTokenizer> namesOfLearned()
{
    std::map<std::string, LearnedTokenizer> names;
    for (std::size_t i = 0; i < EnumNames<LearnedTokenizer>::names.size(); ++i)
        names.emplace(EnumNames<LearnedTokenizer>::names[i], static_cast<LearnedTokenizer>(i));
    return names;
}

void show(const TokenizeRequest &request, const TokenizeOutcome &outcome)
{
    fmt::print("{}: {} tokens in {} document{}, vocabulary size {}, begin token {}, end token {}\n",
        (request.out / "tokens.bin").string(), outcome.tokens, outcome.documents, outcome.documents == 1 ? "" : "s",
        outcome.vocab, markText(outcome.begin), markText(outcome.end));
    if (outcome.evalTokens > 0)
        fmt::print("{}: {} tokens for evaluation\n", (request.out / "eval.bin").string(), outcome.evalTokens);
}

int runTokenize(TokenizeRequest request)
{
    const StopMonitor monitor(RunPaths(request.out), std::nullopt);
    request.interrupted = [&monitor] { return monitor.reason().has_value(); };
    Progress progress;
    const Result<TokenizeOutcome> outcome =
        tokenizeTexts(request, [&progress](const TokenizeProgress &value) { progress(value); });
    if (!outcome)
        return report(outcome.error());
    for (const Error &reason : outcome->bad)
        complain("skipped: " + reason.message());
    if (outcome->badLines > 0)
        complain(fmt::format("skipped {} lines in total", outcome->badLines));
    if (outcome->interrupted) {
        complain("interrupted; the same command continues from here");
        const std::optional<StopReason> stopReason = monitor.reason();
        return stopReason ? stopReason->exitStatus : 143;
    }
    if (outcome->resumed)
        fmt::print("continued an interrupted run\n");
    show(request, *outcome);
    return 0;
}

} // namespace

void addTokenizeCommand(CLI::App &app, int &status)
{
    const auto request = std::make_shared<TokenizeRequest>();
    CLI::App *const command =
        addCommand(app, "tokenize", "Tokenize text for training: writes tokens.bin, eval.bin and the tokenizer",
            "slipway-train tokenize book.txt articles/ --out data --vocab-size 4096\n"
            "         slipway-train tokenize web.jsonl.zst --field text --skip-bad --tokenizer Qwen3-0.6B/ --out data\n"
            "         zcat dump/*.gz | slipway-train tokenize - --tokenizer tokenizer.json --out data");
    command
        ->add_option("TEXT", request->texts,
            "Text files (one document each), .jsonl files (one document per line), or folders of them; .gz, .zst and "
            ".xz are decompressed; - reads standard input")
        ->required();
    command->add_option("--out", request->out, "Folder for the output")->required();
    CLI::Option *const size =
        command->add_option("--vocab-size", request->vocabSize, "Vocabulary size of the tokenizer to train")
            ->capture_default_str();
    CLI::Option *const kind =
        command
            ->add_option("--train-tokenizer", request->learned,
                "Kind of tokenizer to train without --tokenizer: sentencepiece (writes tokenizer.model) or byte-level "
                "bpe "
                "(writes tokenizer.json in Hugging Face's format)")
            ->transform(CLI::CheckedTransformer(namesOfLearned()).description("bpe, sentencepiece"))
            ->default_str("sentencepiece")
            ->type_name("KIND");
    command
        ->add_option("--tokenizer", request->tokenizer,
            "Existing tokenizer to use: tokenizer.json of Hugging Face, a SentencePiece model, or a folder with one")
        ->excludes(size)
        ->excludes(kind);
    command->add_option("--field", request->field,
        "Field of each JSON line that holds the text; default: text. With this flag, .json files and standard input "
        "are read as JSON lines too");
    command->add_flag("--skip-bad", request->skipBad,
        "Skip and count lines that are not UTF-8, not JSON or lack the field; without it, they are errors");
    command->add_option("--threads", request->threads, "Number of encoding threads; 0 for one per core")
        ->capture_default_str();
    command
        ->add_option("--eval-fraction", request->evalFraction,
            "Fraction written to eval.bin: the end of each text, or whole documents of JSON lines; 0 for none")
        ->capture_default_str();
    command->callback([request, &status] { status = runTokenize(*request); });
}

} // namespace slipway::train_app
