// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/bench_serve.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "base/split_mix.h"
#include "model/model_weights.h"
#include "run/generator.h"

namespace slipway {

namespace {

GenerateRequest requestOf(const ServeBenchPoint &point, int vocab, std::int64_t number)
{
    GenerateRequest request{.tokens = point.generate, .options = {.temperature = 0}};
    for (std::int64_t i = 0; i < point.prompt; ++i)
        request.prompt.push_back(static_cast<std::int32_t>(
            splitMix64(static_cast<std::uint64_t>(number * point.prompt + i)) % static_cast<std::uint64_t>(vocab)));
    return request;
}

// Times since the arrival of a batch, and the size of its KV cache.
struct Watched {
    Seconds firstTokens = 0, all = 0; // until every sequence has its first token, and until all requests are complete
    Bytes cache = 0, planned = 0;     // highest size in use after a step, and the size in the plan
};

Watched watch(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point, const BenchClock &clock)
{
    Generator generator(decoder, {.sequences = point.batch, .promptsFirst = true});
    for (std::int64_t i = 0; i < point.batch; ++i)
        (void)generator.add(requestOf(point, decoder.vocab(), i)).value();
    const auto allHaveAToken = [&] {
        for (std::size_t i = 0; i < static_cast<std::size_t>(point.batch); ++i) {
            if (generator.answer(i).empty())
                return false;
        }
        return true;
    };
    Watched watched;
    const Seconds begin = clock();
    for (bool more = true, first = true; more;) {
        more = generator.step().value();
        if (first && allHaveAToken()) {
            watched.firstTokens = clock() - begin;
            first = false;
        }
        if (decoder.cacheInUse() > watched.cache) {
            watched.cache = decoder.cacheInUse();
            watched.planned = 0;
            for (const std::int64_t tokens : generator.cachedTokens())
                watched.planned += sequenceCache(serving, tokens);
        }
    }
    watched.all = clock() - begin;
    return watched;
}

// Measures after a warm-up of the same shape.
Watched measure(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point, const BenchClock &clock)
{
    watch(decoder, serving, point, clock);
    return watch(decoder, serving, point, clock);
}

} // namespace

std::vector<HfWeight> benchWeights(const ModelSpec &model)
{
    std::vector<HfWeight> weights = weightsOf(model);
    const std::vector<ModelWeight> known = modelWeights(model);
    std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): each benchmark has the same weights
    std::normal_distribution<float> normal(0.0F, 0.02F);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t count = 1;
        for (const std::int64_t extent : weights[i].shape)
            count *= extent;
        weights[i].values.resize(static_cast<std::size_t>(count), known[i].init == WeightInit::Ones ? 1.0F : 0.0F);
        if (known[i].init == WeightInit::Normal || known[i].init == WeightInit::NormalOntoResidual)
            std::generate(weights[i].values.begin(), weights[i].values.end(), [&] { return normal(random); });
    }
    return weights;
}

Seconds steadyTime()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ServeBench benchServe(
    SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point, const BenchClock &clock)
{
    ServeBench bench{.point = point};
    bench.ttft = measure(decoder, serving, {.batch = 1, .prompt = point.prompt, .generate = 1}, clock).firstTokens;
    const Watched watched = measure(decoder, serving, point, clock);
    bench.batchTtft = watched.firstTokens;
    if (point.generate > 1) // the first output token is computed with the prompt
        bench.tpot = (watched.all - watched.firstTokens) / double(point.generate - 1);
    bench.tokensPerSecond = double(point.batch * point.generate) / watched.all;
    bench.cache = watched.cache;
    bench.plannedCache = watched.planned;
    return bench;
}

} // namespace slipway
