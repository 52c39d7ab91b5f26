// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "base/visible_text.h"
#include "command.h"
#include "data/tokenizer.h"
#include "decoder_choice.h"
#include "hardware/catalogue.h"
#include "run/run_job.h"
#include "run/sampler.h"
#include "serve/serving.h"

namespace slipway::train_app {

namespace {

struct SampleArguments {
    std::string directory, prompt;
    std::optional<int> tokens; // if empty, kTokens, or as many as the model has positions for
    SampleOptions options;
    DecoderChoice decoder;
};

// Returns the number of output tokens. It is an error if the prompt and the requested output tokens exceed the model's
// positions.
Result<std::int64_t> tokensOf(const SampleArguments &arguments, const ModelSpec &model, std::int64_t prompt)
{
    constexpr std::int64_t kTokens = 100;
    if (const Result<void> fits = checkPositions(model, prompt, arguments.tokens.value_or(1), {.generate = "--tokens"});
        !fits)
        return fits.error();
    const std::int64_t most = model.longestSequence();
    return arguments.tokens.value_or(most > 0 ? std::min(kTokens, most - prompt) : kTokens);
}

Result<std::string> sampleText(const SampleArguments &arguments)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    const Result<std::filesystem::path> run = runCalled(arguments.directory);
    if (!run)
        return run.error();
    const Result<RunJob> job = prepareRun(*run, *catalogue);
    if (!job)
        return job.error();
    if (job->config.training.tokenizer.empty())
        return Error{.what = "names no tokenizer",
            .where = job->paths.config().string(),
            .accepted = "tokenizer: the tokenizer.model of the run's data"};
    const Result<Tokenizer> tokenizer = Tokenizer::load(job->config.training.tokenizer);
    if (!tokenizer)
        return tokenizer.error();
    if (tokenizer->vocabSize() > job->model.vocab)
        return Error{.what = "has " + std::to_string(tokenizer->vocabSize()) +
                             " tokens, but the vocabulary size of the model is " + std::to_string(job->model.vocab),
            .where = job->config.training.tokenizer,
            .accepted = "the tokenizer of the run's data"};
    Result<Sampler> sampler = Sampler::open(
        *job, arguments.options, [&](const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions) {
            return makeDecoder(arguments.decoder, model, std::move(weights), positions);
        });
    if (!sampler)
        return sampler.error();
    Result<std::vector<std::int32_t>> ids = tokenizer->encode(arguments.prompt);
    if (!ids)
        return ids.error();
    if (tokenizer->bos() >= 0)
        ids->insert(ids->begin(), tokenizer->bos());
    if (ids->empty())
        return Error{.what = "is empty", .where = "--prompt", .accepted = "some text"};
    const Result<std::int64_t> tokens = tokensOf(arguments, job->model, std::ssize(*ids));
    if (!tokens)
        return tokens.error();
    for (std::int64_t i = 0; i < *tokens; ++i) {
        const Result<std::int32_t> id = sampler->next(*ids);
        if (!id)
            return id.error();
        if (*id == tokenizer->eos() || *id >= tokenizer->vocabSize())
            break;
        ids->push_back(*id);
    }
    return tokenizer->decode(*ids);
}

} // namespace

void addSampleCommand(CLI::App &app, int &status)
{
    const auto arguments = std::make_shared<SampleArguments>();
    CLI::App *const command = addCommand(app, "sample", "Continue a prompt with the latest checkpoint of a run",
        "slipway-train sample my-run --prompt \"The module\"");
    command->add_option("RUN", arguments->directory, "Name or directory of a run that has a checkpoint")->required();
    command->add_option("--prompt", arguments->prompt, "Text to continue")->required();
    command->add_option("--tokens", arguments->tokens, "Maximum number of tokens to generate")
        ->check(CLI::Range(1, 1'000'000))
        ->default_str("100");
    command
        ->add_option("--temperature", arguments->options.temperature,
            "Sampling temperature; 0 always takes the most likely token")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    command->add_option("--top-k", arguments->options.topK, "Sample from the K most likely tokens; 0 for all")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_option("--seed", arguments->options.seed, "Random seed")->capture_default_str();
    addDecoderFlags(*command, arguments->decoder);
    command->callback([arguments, &status] {
        const Result<std::string> text = sampleText(*arguments);
        if (text)
            fmt::print("{}\n", visibleText(*text, "\n\t")); // a model of someone else may write escape sequences
        status = text ? 0 : report(text.error());
    });
}

} // namespace slipway::train_app
