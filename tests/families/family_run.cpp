// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// family_run FOLDER: reads the model that Transformers saved in FOLDER and the tokens of expected.safetensors, and
// writes what our trainer makes of them to actual.safetensors, under the names of Transformers: logits, the loss,
// gradients, the weights after 20 steps of AdamW, the logits of the decoder, and the answers to ragged prompts with
// blocks of 1, 16 and 128 tokens. FOLDER/exported is the model as we export it.
//
// family_run FOLDER SECONDS: takes steps for so long, and prints the CPU seconds of each, on one thread.
//
// family_run FOLDER decode TYPE BATCH PROMPT TOKENS: prompts of so many of the tokens, answers of so many tokens,
// weights and cache as TYPE (fp32, bf16); prints the CPU seconds of each step in which every sequence gets a token, on
// one thread.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "comm/thread_group.h"
#include "cpu_ops/threads.h"
#include "exec/executor.h"
#include "model/hf_config.h"
#include "plan/build_plan.h"
#include "run/decoder.h"
#include "run/generator.h"
#include "state/hf_weights.h"
#include "state/safetensors.h"

namespace slipway {
namespace {

namespace fs = std::filesystem;

struct Tokens {
    std::int64_t batch = 0, length = 0; // one more than the sequence
    std::vector<std::int32_t> ids;
};

template<typename T>
T need(Result<T> result)
{
    if (result)
        return std::move(*result);
    std::fprintf(stderr, "family_run: %s\n", result.error().message().c_str());
    std::exit(2);
}
void need(const Result<void> &result)
{
    if (!result) {
        std::fprintf(stderr, "family_run: %s\n", result.error().message().c_str());
        std::exit(2);
    }
}

Tokens readTokens(const fs::path &path)
{
    const SafetensorsFile file = need(SafetensorsFile::open(path));
    const TensorEntry *entry = file.find("tokens");
    Tokens tokens{.batch = entry->shape[0], .length = entry->shape[1], .ids = {}};
    tokens.ids.resize(static_cast<std::size_t>(tokens.batch * tokens.length));
    need(file.read(*entry, 0, std::as_writable_bytes(std::span(tokens.ids))));
    return tokens;
}

// Inputs and the tokens after them.
struct Batch {
    std::vector<std::int32_t> tokens, targets;
};

Batch batchOf(const Tokens &tokens)
{
    Batch batch;
    for (std::int64_t row = 0; row < tokens.batch; ++row) {
        const auto begin = tokens.ids.begin() + row * tokens.length;
        batch.tokens.insert(batch.tokens.end(), begin, begin + tokens.length - 1);
        batch.targets.insert(batch.targets.end(), begin + 1, begin + tokens.length);
    }
    return batch;
}

class Output {
public:
    void add(std::string name, std::vector<std::int64_t> shape, std::vector<float> values)
    {
        m_tensors.push_back({std::move(name), std::move(shape), std::move(values)});
    }
    void addAll(const std::string &prefix, const ModelSpec &model, const std::vector<HfWeight> &weights)
    {
        for (HfWeight &tensor : asHfTensors(model, weights))
            add(prefix + tensor.name, std::move(tensor.shape), std::move(tensor.values));
    }
    void write(const fs::path &path) const
    {
        std::vector<TensorToWrite> list;
        for (const HfWeight &tensor : m_tensors)
            list.push_back(
                {.name = tensor.name, .shape = tensor.shape, .data = std::as_bytes(std::span(tensor.values))});
        need(writeSafetensors(path, list));
    }

private:
    std::vector<HfWeight> m_tensors;
};

class FamilyRun {
public:
    explicit FamilyRun(fs::path folder)
        : m_folder(std::move(folder)),
          m_model(need(readHfConfig(m_folder / "config.json"))),
          m_weights(need(readHfWeights(m_folder, m_model))),
          m_tokens(readTokens(m_folder / "expected.safetensors")),
          m_batch(batchOf(m_tokens))
    {
    }

    void run(Communicator &alone)
    {
        const RunPlan plan = begin(alone);
        train(plan.stages.front());
        m_output.add("decoded", {m_tokens.batch, m_tokens.length - 1, m_model.vocab}, decoded());
        for (const std::int64_t block : {1, 16, 128})
            addAnswers(block);
        m_output.write(m_folder / "actual.safetensors");
        fs::remove_all(m_folder / "exported");
        need(writeHfFolder(m_folder / "exported", m_model, m_weights, ExportType::Fp32, 64));
    }

    void time(Communicator &alone, double seconds)
    {
        static_cast<void>(begin(alone));
        double sum = 0;
        for (int step = 1; sum < seconds || step <= 3; ++step) {
            const std::clock_t start = std::clock();
            static_cast<void>(takeStep(step));
            const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            sum += took;
            if (step > 1) // the first one meets memory that was never touched
                std::printf("%.6f\n", took);
        }
    }

    void decode(DecoderType type, std::int64_t batch, std::int64_t prompt, std::int64_t tokens)
    {
        Decoder decoder(m_model, m_weights, prompt + tokens, {}, type);
        std::vector<KvCache::Sequence> sequences;
        std::vector<std::int32_t> next;
        std::vector<DecoderInput> inputs;
        for (std::int64_t i = 0; i < batch; ++i) {
            sequences.push_back(decoder.begin());
            const std::span<const std::int32_t> ids(
                m_tokens.ids.data() + i * m_tokens.length, static_cast<std::size_t>(prompt));
            inputs.push_back({sequences.back(), ids});
        }
        const SampleOptions likeliest{.temperature = 0};
        std::mt19937_64 random;
        for (std::int64_t step = 0; step < tokens; ++step) {
            const std::clock_t start = std::clock();
            const std::span<const float> logits = decoder.forward(inputs);
            const auto vocab = static_cast<std::size_t>(m_model.vocab);
            next.clear();
            for (std::size_t i = 0; i < sequences.size(); ++i)
                next.push_back(drawToken(logits.subspan(i * vocab, vocab), likeliest, random));
            if (step > 0) // the first one takes the prompts
                std::printf("%.6f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
            for (std::size_t i = 0; i < sequences.size(); ++i)
                inputs[i] = {sequences[i], {&next[i], 1}};
        }
    }

private:
    // The plan of a step, executed with the weights of the folder from now on.
    RunPlan begin(Communicator &alone)
    {
        RunConfig config;
        config.precision = Precision::Fp32;
        config.microBatch = m_tokens.batch;
        config.seqLen = m_tokens.length - 1;
        RunPlan plan = need(buildPlan(config, m_model));
        m_executor = need(Executor::create(plan.stages.front(), m_model, alone, {.threads = 1}));
        for (const WeightView &view : m_executor->weights())
            std::copy_n(weightNamed(view.name).values.begin(), view.count, view.master);
        m_executor->uploadWeights();
        return plan;
    }

    double takeStep(int step)
    {
        return need(m_executor->step(
                        {.tokens = m_batch.tokens, .targets = m_batch.targets}, {.learningRate = 1e-3, .step = step}))
            .loss;
    }

    HfWeight &weightNamed(const std::string &name)
    {
        return *std::find_if(
            m_weights.begin(), m_weights.end(), [&](const HfWeight &weight) { return weight.name == name; });
    }

    void train(const StepPlan &plan)
    {
        constexpr int kSteps = 20;
        std::vector<HfWeight> gradients = m_weights, trained = m_weights;
        std::vector<float> logits, losses;
        m_executor->setObserver([&](const OpEvent &event) { observe(plan, event, logits, gradients); });
        for (int step = 1; step <= kSteps; ++step) {
            losses.push_back(static_cast<float>(takeStep(step)));
            m_executor->setObserver({});
        }
        m_executor->downloadWeights();
        for (const WeightView &view : m_executor->weights())
            std::copy_n(view.master, view.count, std::find_if(trained.begin(), trained.end(), [&](const HfWeight &w) {
                return w.name == view.name;
            })->values.begin());
        m_output.add("loss", {1}, {losses.front()});
        m_output.add("losses", {kSteps}, losses);
        m_output.add("logits", {m_tokens.batch, m_tokens.length - 1, m_model.vocab}, logits);
        m_output.addAll("gradient.", m_model, gradients);
        m_output.addAll("trained.", m_model, trained);
    }

    // The first step's logits before the loss replaces them, and gradients before they are clipped.
    void observe(
        const StepPlan &plan, const OpEvent &event, std::vector<float> &logits, std::vector<HfWeight> &gradients)
    {
        if (!event.before)
            return;
        const Kernel &kernel = plan.at(event.op.kernel);
        const auto *values = kernel.kind == OpKind::CrossEntropy || kernel.kind == OpKind::SumSquares
                                 ? reinterpret_cast<const float *>(
                                       m_executor->bytesOf(event.op.reads[0], event.slot, event.microBatch).data())
                                 : nullptr;
        if (kernel.kind == OpKind::CrossEntropy) {
            const std::size_t count = static_cast<std::size_t>(kernel.m * kernel.n);
            for (std::size_t i = 0; i < count; ++i)
                logits.push_back(finished(values[i]));
        } else if (kernel.kind == OpKind::SumSquares) {
            for (const WeightView &view : m_executor->weights())
                takeGradient(plan, event, view, values, gradients);
        }
    }

    // What cross-entropy does to logits before it normalizes them.
    [[nodiscard]] float finished(float logit) const
    {
        const double scaled = m_model.head.logitScale * static_cast<double>(logit), cap = m_model.head.softCap;
        return static_cast<float>(cap > 0 ? cap * std::tanh(scaled / cap) : scaled);
    }

    static void takeGradient(const StepPlan &plan, const OpEvent &event, const WeightView &view, const float *values,
        std::vector<HfWeight> &gradients)
    {
        const auto unit = std::find_if(plan.units.begin(), plan.units.end(),
            [&](const ParameterUnit &u) { return u.gradient == event.op.reads[0].buffer; });
        if (unit->master != view.flat || (unit->perLayer && view.layer != event.slot.index))
            return;
        std::vector<float> &to = std::find_if(gradients.begin(), gradients.end(), [&](const HfWeight &w) {
            return w.name == view.name;
        })->values;
        std::copy_n(values + view.place, view.count, to.begin());
    }

    std::vector<float> decoded()
    {
        Decoder decoder(m_model, m_weights, m_tokens.length - 1);
        std::vector<float> all;
        for (std::size_t i = 0; i < m_batch.tokens.size(); ++i) {
            if (i % static_cast<std::size_t>(m_tokens.length - 1) == 0)
                decoder.forget();
            const std::span<const float> logits = decoder.next(m_batch.tokens[i]);
            all.insert(all.end(), logits.begin(), logits.end());
        }
        return all;
    }

    // The first tokens of each prompt of expected.safetensors, and how many tokens to answer with: [requests, 3] of
    // row, prompt and answer. Two sequences at once and 13 tokens per step: long prompts are prefilled in chunks while
    // others decode, and sequences join and leave meanwhile.
    void addAnswers(std::int64_t block)
    {
        const SafetensorsFile file = need(SafetensorsFile::open(m_folder / "expected.safetensors"));
        const TensorEntry *entry = file.find("requests");
        std::vector<std::int32_t> requests(static_cast<std::size_t>(3 * entry->shape[0]));
        need(file.read(*entry, 0, std::as_writable_bytes(std::span(requests))));
        Decoder decoder(m_model, m_weights, 2 * m_tokens.length, {.block = block});
        Generator generator(decoder, {.sequences = 2, .tokens = 13});
        for (std::size_t i = 0; i < requests.size(); i += 3) {
            const auto begin = m_tokens.ids.begin() + requests[i] * m_tokens.length;
            static_cast<void>(need(generator.add({.prompt = {begin, begin + requests[i + 1]},
                .tokens = requests[i + 2],
                .options = {.temperature = 0}})));
        }
        while (need(generator.step())) {
        }
        std::vector<float> answers;
        for (std::size_t i = 0; i < requests.size() / 3; ++i)
            answers.insert(answers.end(), generator.answer(i).begin(), generator.answer(i).end());
        const std::int64_t count = std::ssize(answers);
        m_output.add("answers." + std::to_string(block), {count}, std::move(answers));
    }

    fs::path m_folder;
    ModelSpec m_model;
    std::vector<HfWeight> m_weights;
    Tokens m_tokens;
    Batch m_batch;
    std::unique_ptr<Executor> m_executor;
    Output m_output;
};

} // namespace
} // namespace slipway

int main(int argc, char **argv)
{
    const bool decodes = argc == 7 && std::string_view(argv[2]) == "decode";
    if (argc != 2 && argc != 3 && !decodes) {
        std::fprintf(stderr, "usage: family_run FOLDER [SECONDS | decode TYPE BATCH PROMPT TOKENS]\n");
        return 2;
    }
    if (decodes) {
        slipway::cpu_ops::useThreads(1); // whose time is the process's, whatever else the machine does
        slipway::FamilyRun(argv[1]).decode(slipway::enumFromName<slipway::DecoderType>(argv[3]).value(),
            slipway::parseInteger(argv[4]).value(), slipway::parseInteger(argv[5]).value(),
            slipway::parseInteger(argv[6]).value());
        return 0;
    }
    slipway::ThreadGroup(1).run([&](slipway::Communicator &alone) {
        slipway::FamilyRun run(argv[1]);
        argc == 3 ? run.time(alone, slipway::parseNumber(argv[2]).value()) : run.run(alone);
    });
}
