// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "memory/memory_walk.h"
#include "serve/serving.h"

namespace slipway {

namespace {

// Layers of a kind of the model's pattern.
std::int64_t layersOf(const ModelSpec &model, std::size_t kind)
{
    const auto kinds = static_cast<std::int64_t>(model.pattern.size());
    const auto number = static_cast<std::int64_t>(kind);
    return number >= model.layers ? 0 : ceilDiv(model.layers - number, kinds);
}

std::int64_t windowOf(const Serving &s, std::size_t kind)
{
    return s.software.freesWindow ? s.model.pattern[kind].window : 0;
}

// Tokens that one layer has room for. A window's first block may be one that it only partly sees.
std::int64_t tokensHeld(const Serving &s, std::int64_t window, std::int64_t length)
{
    if (s.block == 0) {
        const std::int64_t reserved = s.software.growsCache ? length : std::max(length, s.config.reservedLength());
        return window > 0 ? std::min(reserved, window) : reserved;
    }
    std::int64_t blocks = ceilDiv(length, s.block);
    if (window > 0)
        blocks = std::min(blocks, ceilDiv(window - 1, s.block) + 1);
    return blocks * s.block;
}

std::int64_t tokensUsed(std::int64_t window, std::int64_t length)
{
    return window > 0 ? std::min(length, window) : length;
}

template<typename Tokens>
Bytes overLayers(const Serving &s, Tokens &&tokens)
{
    Bytes bytes = 0;
    for (std::size_t kind = 0; kind < s.model.pattern.size(); ++kind)
        bytes += layersOf(s.model, kind) * tokens(windowOf(s, kind)) * cacheBytesPerToken(s.model, s.layout);
    return bytes;
}

// The steps that need the most memory: all sequences decode, alone or together with a prefill.
std::vector<InferenceStep> largestSteps(const Serving &s, std::int64_t batch)
{
    InferenceStep decode{.decoding = batch, .decodePast = s.config.length() - 1};
    InferenceStep prefill{.prefilling = 1, .prefillTokens = s.config.prompt};
    if (s.software.continuousBatching) {
        const std::int64_t budget = std::max<std::int64_t>(1, s.software.batchedTokens);
        prefill.prefillTokens = std::min(s.config.prompt, budget);
        // Several short prompts share a step.
        prefill.prefilling = std::clamp<std::int64_t>(budget / prefill.prefillTokens, 1, batch);
        prefill.prefillPast = s.config.prompt - prefill.prefillTokens;
    } else {
        prefill.prefilling = batch;
    }
    for (InferenceStep *step : {&decode, &prefill}) {
        for (std::size_t kind = 0; kind < s.model.pattern.size(); ++kind)
            step->cacheBytes.push_back(batch * layersOf(s.model, kind) *
                                       tokensHeld(s, windowOf(s, kind), s.config.length()) *
                                       cacheBytesPerToken(s.model, s.layout));
        if (s.block > 0)
            step->blockTableBytes = batch * ceilDiv(s.config.length(), s.block) * 4;
    }
    return {std::move(decode), std::move(prefill)};
}

// Mean over an answer: the cache after each of its tokens.
struct MeanCache {
    double held = 0, used = 0;
};
MeanCache meanCache(const Serving &s)
{
    MeanCache mean;
    for (std::int64_t token = 1; token <= s.config.generate; ++token) {
        mean.held += double(sequenceCache(s, s.config.prompt + token));
        mean.used += double(sequenceCacheUsed(s, s.config.prompt + token));
    }
    mean.held /= double(s.config.generate);
    mean.used /= double(s.config.generate);
    return mean;
}

// The memory of the plans, without the averages that searches do not need.
ServingMemory neededBy(const Serving &s, std::int64_t batch)
{
    ServingMemory m;
    m.weights = inferenceWeights(s.model, s.layout).all(s.model.layers);
    m.cache = batch * sequenceCache(s, s.config.length());
    m.cacheUsed = batch * sequenceCacheUsed(s, s.config.length());
    m.outside = s.outside.bytes;
    for (const InferenceStep &step : largestSteps(s, batch)) {
        const MemoryPeak peak = peakMemory(buildInferenceStep(s.model, s.layout, step), Placement::None);
        m.activations = std::max(m.activations, peak.allocated - m.weights - m.cache);
    }
    m.peak = m.weights + m.cache + m.activations + m.outside;
    m.usable = static_cast<Bytes>(s.software.memoryFraction * double(s.capacity));
    m.pool = static_cast<Bytes>(s.software.poolFraction * double(m.usable - m.weights - m.activations - m.outside));
    return m;
}

} // namespace

Bytes cachePerToken(const Serving &s) { return s.model.layers * cacheBytesPerToken(s.model, s.layout); }

Bytes sequenceCache(const Serving &s, std::int64_t length)
{
    return overLayers(s, [&](std::int64_t window) { return tokensHeld(s, window, length); });
}

Bytes sequenceCacheUsed(const Serving &s, std::int64_t length)
{
    return overLayers(s, [&](std::int64_t window) { return tokensUsed(window, length); });
}

ServingMemory memoryOf(const Serving &s, std::int64_t batch)
{
    ServingMemory m = neededBy(s, batch);
    const MeanCache mean = meanCache(s);
    m.wasteMean = static_cast<Bytes>(double(batch) * (mean.held - mean.used));
    m.wasteFraction = mean.held > 0 ? 1 - mean.used / mean.held : 0;
    return m;
}

std::int64_t maxSequences(const Serving &serving, bool contiguous)
{
    Serving s = serving;
    if (contiguous)
        s.block = 0;
    else if (s.block == 0)
        s.block = s.config.block.value_or(s.software.block > 0 ? s.software.block : 16);
    const auto fits = [&](std::int64_t batch) {
        const ServingMemory m = neededBy(s, batch);
        return m.cache <= m.pool;
    };
    std::int64_t least = 0, most = 1;
    while (most < kMostSequences && fits(most)) {
        least = most;
        most *= 2;
    }
    while (most - least > 1) {
        const std::int64_t middle = least + (most - least) / 2;
        (fits(middle) ? least : most) = middle;
    }
    return least;
}

} // namespace slipway
