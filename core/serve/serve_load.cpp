// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>
#include <map>

#include "serve/serve_prediction.h"

namespace slipway {

namespace {

constexpr std::int64_t kMostTokens = 4'000'000; // of answers, that one simulation draws

// Step times at powers of two of both numbers, and linear between them: plans are made once for each such step.
class InterpolatedStepTimes {
public:
    explicit InterpolatedStepTimes(const Serving &serving) : m_serving(serving) {}

    Seconds operator()(const LoadStep &step)
    {
        const auto [fewer, more] = around(step.decoding);
        const auto [shorter, longer] = around(step.prefillTokens);
        const double across = part(step.decoding, fewer, more), along = part(step.prefillTokens, shorter, longer);
        const Seconds low = (1 - along) * at(fewer, shorter) + along * at(fewer, longer);
        const Seconds high = (1 - along) * at(more, shorter) + along * at(more, longer);
        return (1 - across) * low + across * high;
    }

private:
    static std::pair<std::int64_t, std::int64_t> around(std::int64_t count)
    {
        if (count <= 2)
            return {count, count};
        std::int64_t below = 2;
        while (below * 2 <= count)
            below *= 2;
        return {below, below == count ? count : 2 * below};
    }
    static double part(std::int64_t count, std::int64_t below, std::int64_t above)
    {
        return above > below ? double(count - below) / double(above - below) : 0;
    }

    Seconds at(std::int64_t decoding, std::int64_t prefillTokens)
    {
        if (decoding + prefillTokens == 0)
            return m_serving.software.step;
        const auto [known, isNew] = m_times.try_emplace(std::pair(decoding, prefillTokens));
        if (isNew)
            known->second = planned(decoding, prefillTokens);
        return known->second;
    }

    // Prompts of a step share it in whole ones, as far as they go.
    [[nodiscard]] Seconds planned(std::int64_t decoding, std::int64_t prefillTokens) const
    {
        const ServeConfig &c = m_serving.config;
        InferenceStep step{.decoding = decoding, .decodePast = c.prompt + (c.generate - 1) / 2};
        if (prefillTokens > 0) {
            step.prefilling = ceilDiv(prefillTokens, c.prompt);
            step.prefillTokens = ceilDiv(prefillTokens, step.prefilling);
        }
        return stepTime(m_serving, step);
    }

    const Serving &m_serving;
    std::map<std::pair<std::int64_t, std::int64_t>, Seconds> m_times;
};

} // namespace

ServeLoad loadOf(const Serving &s, double requestsPerSecond, double mostTokensPerSecond)
{
    InterpolatedStepTimes times(s);
    std::vector<Bytes> cache; // by tokens
    for (std::int64_t tokens = 0; tokens <= s.config.length(); ++tokens)
        cache.push_back(tokens == 0 ? 0 : sequenceCache(s, tokens));
    const std::int64_t sequences = std::min(s.software.sequences, std::max<std::int64_t>(1, maxSequences(s, false)));
    const LoadServer server{.time = [&](const LoadStep &step) { return times(step); },
        .cache = [&](std::int64_t tokens) { return cache[static_cast<std::size_t>(tokens)]; },
        .pool = memoryOf(s, sequences).pool,
        .prompt = s.config.prompt,
        .generate = s.config.generate,
        .sequences = s.software.sequences,
        .batchedTokens = s.software.batchedTokens,
        .continuous = s.software.continuousBatching};
    const auto requests = static_cast<int>(
        std::clamp<std::int64_t>(kMostTokens / s.config.generate, 100, std::int64_t{s.config.requests}));
    ServeLoad load{.requestsPerSecond = requestsPerSecond,
        .mostRequestsPerSecond = mostTokensPerSecond / double(s.config.generate)};
    load.saturated = requestsPerSecond > load.mostRequestsPerSecond;
    load.result = simulateLoad(server, requestsPerSecond, requests, s.config.seed);
    return load;
}

} // namespace slipway
