// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "bench_command.h"
#include "cpu_ops/threads.h"
#include "decoder_choice.h"
#include "exec/cuda_devices.h"
#include "run/bench_serve.h"

namespace slipway::train_app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLongest = 65536;

struct ServeArguments {
    GivenSettings model; // flags of serve-plan for the model
    std::vector<std::int64_t> batches{1, 4, 16}, prompts{64}, answers{32};
    std::int64_t block = 16;
    int threads = 0;
    std::string csv;
    bool json = false;
    DecoderChoice decoder;
};

Result<Serving> servingOf(const ServeArguments &arguments)
{
    ServeConfig config;
    config.framework = "slipway";
    config.weights = config.kv = arguments.decoder.type == DecoderType::Bf16 ? StoredType::Bf16 : StoredType::Fp32;
    config.block = arguments.block;
    config.run.gpu = "cpu";
    config.prompt = *std::max_element(arguments.prompts.begin(), arguments.prompts.end());
    config.generate = *std::max_element(arguments.answers.begin(), arguments.answers.end());
    // The model is set first, because choosing a model resets the sizes that were changed.
    for (const bool model : {true, false}) {
        for (const auto &[key, text] : arguments.model) {
            if ((key == "model") != model)
                continue;
            if (const Result<void> set = setServeSetting(config, key, text); !set)
                return set.error();
        }
    }
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    if (arguments.decoder.cuda) {
        const Result<std::vector<CudaDevice>> devices = cudaDevices();
        if (!devices)
            return devices.error();
        config.run.gpu = devices->front().name;
    }
    const Result<Frameworks> frameworks = loadServingFrameworks();
    if (!frameworks)
        return frameworks.error();
    Result<Serving> serving = resolveServing(config, *catalogue, *frameworks);
    if (!serving && serving.error().where == "--prompt") { // this command has a list of prompts in place of --prompt
        Error error = serving.error();
        error.where = "--prompts";
        return error;
    }
    return serving;
}

Json toJson(const ServeBench &b)
{
    return {{"batch", b.point.batch}, {"prompt", b.point.prompt}, {"generate", b.point.generate},
        {"time_to_first_token_s", b.ttft}, {"batch_time_to_first_token_s", b.batchTtft},
        {"time_per_output_token_s", b.tpot}, {"tokens_per_s", b.tokensPerSecond}, {"kv_cache_bytes", b.cache},
        {"planned_kv_cache_bytes", b.plannedCache}};
}

// Returns a row of a measurement table for serving. Its settings have the names of serve-plan's keys.
std::string record(const Serving &s, const ServeBench &b, std::size_t number)
{
    // An output of one token has no time per output token. The cell is left empty, because 0 would make the row
    // invalid.
    const auto ms = [](Seconds seconds) { return seconds > 0 ? fmt::format("{:.6g}", 1e3 * seconds) : std::string(); };
    return csvRecord(
        std::vector<std::string>{fmt::format("own-{:03}", number), "slipway bench serve", s.config.run.model.name,
            std::to_string(s.model.layers), std::to_string(s.model.hidden), std::to_string(s.model.attention.heads),
            std::to_string(s.model.attention.kvHeads), std::to_string(s.model.mlp.width), std::to_string(s.model.vocab),
            s.gpu.id, "1", "slipway", std::string(enumName(s.config.weights)), std::string(enumName(s.config.kv)),
            std::to_string(s.block), std::to_string(b.point.prompt), std::to_string(b.point.generate),
            std::to_string(b.point.batch), ms(b.ttft), ms(b.tpot), fmt::format("{:.6g}", b.tokensPerSecond)});
}

const std::vector<std::string> kServingColumns{"id", "source", "model", "layers", "hidden", "heads", "kv_heads", "ffn",
    "vocab", "gpu", "tp", "framework", "weights", "kv", "block", "prompt", "generate", "batch", "ttft_ms", "tpot_ms",
    "tokens_per_s"};

Result<void> runServe(const ServeArguments &arguments)
{
    const Result<Serving> serving = servingOf(arguments);
    if (!serving)
        return serving.error();
    if (arguments.threads > 0)
        cpu_ops::useThreads(arguments.threads);
    const Result<std::unique_ptr<SequenceDecoder>> decoder = makeDecoder(arguments.decoder, serving->model,
        benchWeights(serving->model), serving->config.length(), {.block = serving->block});
    if (!decoder)
        return decoder.error();
    std::string table = csvRecord(kServingColumns);
    Json rows = Json::array();
    for (const std::int64_t prompt : arguments.prompts) {
        for (const std::int64_t generate : arguments.answers) {
            for (const std::int64_t batch : arguments.batches) {
                const ServeBench b =
                    benchServe(**decoder, *serving, {.batch = batch, .prompt = prompt, .generate = generate});
                rows.push_back(toJson(b));
                table += record(*serving, b, rows.size());
                if (!arguments.json)
                    fmt::print("batch {:>4}, prompt {:>5}, answer {:>5}: first token {:>9}, of the whole batch {:>9}, "
                               "per token {:>9}, {:>7} tokens/s, cache {}, planned {}\n",
                        batch, prompt, generate, formatSeconds(b.ttft), formatSeconds(b.batchTtft),
                        generate > 1 ? formatSeconds(b.tpot) : "-", formatCount(b.tokensPerSecond),
                        formatBytes(b.cache), formatBytes(b.plannedCache));
            }
        }
    }
    if (arguments.json)
        fmt::print("{}\n", Json{{"version", 1}, {"what", "slipway"}, {"device", serving->gpu.id},
                               {"model", {{"name", serving->model.name}, {"params", parameterCount(serving->model)}}},
                               {"weights", enumName(serving->config.weights)}, {"kv", enumName(serving->config.kv)},
                               {"block", serving->block}, {"rows", rows}}
                               .dump());
    return arguments.csv.empty() ? Result<void>() : writeNamedFile(arguments.csv, table);
}

void addList(
    CLI::App &command, const char *flag, std::vector<std::int64_t> &values, const char *help, std::int64_t most)
{
    command.add_option(flag, values, help)
        ->delimiter(',')
        ->check(CLI::Range(std::int64_t{1}, most))
        ->capture_default_str();
}

} // namespace

void addBenchServe(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<ServeArguments>();
    CLI::App *const command =
        addCommand(bench, "serve", "Measure how fast this machine generates text, with random weights",
            "slipway-train bench serve --model 100M --batches 1,4,16 --prompts 64 --generate 32 --csv serving.csv");
    for (const char *key :
        {"model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "experts", "experts_per_token"}) {
        std::string flag = "--" + std::string(key);
        std::replace(flag.begin(), flag.end(), '_', '-');
        command->add_option_function<std::string>(
            flag, [arguments, key](const std::string &text) { arguments->model.emplace_back(key, text); },
            "Model setting, as in slipway serve-plan");
    }
    addList(*command, "--batches", arguments->batches, "Batch sizes: sequences in progress at once", 4096);
    addList(*command, "--prompts", arguments->prompts, "Prompt lengths in tokens", kLongest);
    addList(*command, "--generate", arguments->answers, "Tokens to generate per prompt", kLongest);
    command->add_option("--block", arguments->block, "Tokens per block of the KV cache")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    command->add_option("--threads", arguments->threads, "Number of threads; 0 for one per core")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    addDecoderFlags(*command, arguments->decoder);
    command->add_option("--csv", arguments->csv, "Write a table of serving for slipway validate")->type_name("FILE");
    command->add_flag("--json", arguments->json, "Print the result as one JSON document");
    command->callback([arguments, &status] {
        const Result<void> done = runServe(*arguments);
        status = done ? 0 : report(done.error());
    });
}

} // namespace slipway::train_app
