// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/suggest.h"

#include <algorithm>
#include <bit>

#include "config/settings.h"

namespace slipway {

namespace {

// Gains below this are within the noise of any prediction.
constexpr double kWorthwhileGain = 1.01;

struct Candidate {
    RunConfig config;
    std::string why;
};

// The largest power of two up to `limit` that divides the tokens of a step into whole micro-batches.
std::int64_t microBatchWithin(const RunConfig &c, std::int64_t limit)
{
    const std::int64_t sequences = c.microBatch * c.gradAccum;
    for (auto size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 1)))); size > 1; size /= 2) {
        if (sequences % size == 0)
            return size;
    }
    return 1;
}

// Another micro-batch for the same tokens a step.
Candidate withMicroBatch(const RunConfig &c, std::int64_t microBatch, std::string why)
{
    Candidate candidate{c, std::move(why)};
    candidate.config.gradAccum = c.microBatch * c.gradAccum / microBatch;
    candidate.config.microBatch = microBatch;
    return candidate;
}

std::vector<Candidate> candidates(const RunConfig &c, bool fits, std::int64_t maxMicroBatch)
{
    std::vector<Candidate> list;
    const auto add = [&](auto change, std::string why) {
        Candidate candidate{c, std::move(why)};
        change(candidate.config);
        list.push_back(std::move(candidate));
    };
    if (c.attention == Attention::Vanilla)
        add([](RunConfig &r) { r.attention = Attention::Flash; }, "flash attention keeps no matrix of probabilities");
    const std::int64_t microBatch = microBatchWithin(c, std::min(maxMicroBatch, fits ? c.microBatch * 2 : c.microBatch));
    if (maxMicroBatch >= 1 && microBatch != c.microBatch) {
        list.push_back(withMicroBatch(c, microBatch, microBatch < c.microBatch ? "smaller micro-batches, more of them: the same tokens a step with fewer activations alive"
                                                                               : "larger micro-batches, fewer of them: kernels with more to do"));
    }
    if (!fits && c.recompute != Recompute::Full)
        add([](RunConfig &r) { r.recompute = Recompute::Full; }, "recomputing each layer keeps only the layers' inputs");
    if (!fits && c.recompute == Recompute::None)
        add([](RunConfig &r) { r.recompute = Recompute::Selective; }, "recomputing attention alone costs little time");
    if (fits && c.recompute != Recompute::None)
        add([](RunConfig &r) { r.recompute = Recompute::None; }, "there is room to keep what is recomputed now");
    if (!fits && c.recompute != Recompute::Full && microBatch < c.microBatch && maxMicroBatch >= 1) {
        Candidate both = withMicroBatch(c, microBatch, "smaller micro-batches and recomputation together leave the most room");
        both.config.recompute = Recompute::Full;
        list.push_back(std::move(both));
    }
    return list;
}

} // namespace

std::vector<Suggestion> suggest(const Subject &subject, const Assessment &now, std::int64_t maxMicroBatch, const Catalogue &catalogue)
{
    const bool fits = now.memory.verdict == Verdict::Fits;
    std::vector<Suggestion> suggestions;
    for (Candidate &candidate : candidates(subject.config, fits, maxMicroBatch)) {
        const Subject changed{candidate.config, subject.model, subject.gpu};
        const Result<Assessment> then = assess(changed, catalogue);
        if (!then || then->memory.verdict == Verdict::Oom)
            continue;
        const bool helps = fits ? then->memory.verdict == Verdict::Fits && then->speed.tokensPerSecond > kWorthwhileGain * now.speed.tokensPerSecond
                                : then->memory.peak < now.memory.peak;
        if (!helps)
            continue;
        Suggestion s{.why = std::move(candidate.why), .peak = then->memory.peak, .tokensPerSecond = then->speed.tokensPerSecond, .usdPerBillionTokens = then->cost.usdPerBillionTokens};
        for (const SettingChange &change : differences(subject.config, candidate.config))
            s.change.emplace_back(change.key, change.after);
        suggestions.push_back(std::move(s));
    }
    std::stable_sort(suggestions.begin(), suggestions.end(), [](const Suggestion &a, const Suggestion &b) { return a.tokensPerSecond > b.tokensPerSecond; });
    return suggestions;
}

} // namespace slipway
