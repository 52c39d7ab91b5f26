// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/bench_serve.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "base/mix.h"
#include "model/model_weights.h"
#include "run/generator.h"

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

GenerateRequest requestOf(const ServeBenchPoint &point, int vocab, std::int64_t number)
{
    GenerateRequest request{.tokens = point.generate, .options = {.temperature = 0}};
    for (std::int64_t i = 0; i < point.prompt; ++i)
        request.prompt.push_back(static_cast<std::int32_t>(
            mixed(static_cast<std::uint64_t>(number * point.prompt + i)) % static_cast<std::uint64_t>(vocab)));
    return request;
}

Seconds median(std::vector<Seconds> values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// What is timed step by step.
struct Watched {
    std::vector<Seconds> decoding; // of the steps in which all decode
    Seconds all = 0, first = 0;    // until the end, and until the first request has a token
    Bytes cache = 0, planned = 0;  // the most in use after a step, and what the plan has for its tokens
};

Watched watch(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point)
{
    Generator generator(decoder, {.sequences = point.batch});
    for (std::int64_t i = 0; i < point.batch; ++i)
        (void)generator.add(requestOf(point, decoder.vocab(), i)).value();
    const auto isDecoding = [&] { // all have a token, none has its last
        for (std::size_t i = 0; i < static_cast<std::size_t>(point.batch); ++i) {
            if (generator.answer(i).empty() || generator.isDone(i))
                return false;
        }
        return true;
    };
    Watched watched;
    const Clock::time_point begin = Clock::now();
    for (bool more = true; more;) {
        const bool decodes = isDecoding();
        const Clock::time_point step = Clock::now();
        more = generator.step().value();
        if (decodes)
            watched.decoding.push_back(since(step));
        if (watched.first == 0 && !generator.answer(0).empty())
            watched.first = since(begin);
        if (decoder.cacheInUse() > watched.cache) {
            watched.cache = decoder.cacheInUse();
            watched.planned = 0;
            for (const std::int64_t tokens : generator.cachedTokens())
                watched.planned += sequenceCache(serving, tokens);
        }
    }
    watched.all = since(begin);
    return watched;
}

} // namespace

std::vector<HfWeight> benchWeights(const ModelSpec &model)
{
    std::vector<HfWeight> weights = weightsOf(model);
    const std::vector<ModelWeight> known = modelWeights(model);
    std::mt19937 random(1);
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

ServeBench benchServe(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point)
{
    ServeBench bench{.point = point};
    bench.ttft = watch(decoder, serving, {.batch = 1, .prompt = point.prompt, .generate = 1}).first;
    const Watched watched = watch(decoder, serving, point);
    bench.tpot = median(watched.decoding);
    bench.tokensPerSecond = double(point.batch * point.generate) / watched.all;
    bench.cache = watched.cache;
    bench.plannedCache = watched.planned;
    return bench;
}

} // namespace slipway
