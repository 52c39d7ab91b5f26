// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/suggest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "predict/search_fit.h"
#include "predict/suggest_fit.h"

namespace slipway {

namespace {

// The largest power of two up to `limit` that divides the global batch into whole micro-batches.
std::int64_t microBatchWithin(const RunConfig &c, std::int64_t limit)
{
    const std::int64_t sequences = c.microBatch * c.gradAccum;
    for (auto size =
             static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 1))));
        size > 1; size /= 2) {
        if (sequences % size == 0)
            return size;
    }
    return 1;
}

// Another micro-batch for the same global batch.
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
        add([](RunConfig &r) { r.attention = Attention::Flash; },
            "flash attention does not store the attention scores");
    const std::int64_t microBatch =
        microBatchWithin(c, std::min(maxMicroBatch, fits ? c.microBatch * 2 : c.microBatch));
    if (maxMicroBatch >= 1 && microBatch != c.microBatch) {
        list.push_back(withMicroBatch(c, microBatch,
            microBatch < c.microBatch
                ? "smaller micro-batches and more accumulation: the same global batch with less activation memory"
                : "larger micro-batches and less accumulation: kernels run more efficiently"));
    }
    if (!fits && c.recompute != Recompute::Full)
        add([](RunConfig &r) { r.recompute = Recompute::Full; },
            "full recomputation stores only the inputs of the layers");
    if (!fits && c.recomputeOrNone() == Recompute::None)
        add([](RunConfig &r) { r.recompute = Recompute::Selective; }, "recomputing only attention costs little time");
    if (fits && c.recomputeOrNone() != Recompute::None)
        add([](RunConfig &r) { r.recompute = Recompute::None; },
            "there is enough memory to store the activations that are recomputed now");
    if (!fits && canPackFrozenWeights(c))
        add([](RunConfig &r) { r.frozenWeights = FrozenWeights::Nf4; },
            "frozen weights in 4 bits (QLoRA) take about a quarter of the memory, and their GEMMs more time");
    if (!fits && c.recompute != Recompute::Full && microBatch < c.microBatch && maxMicroBatch >= 1) {
        Candidate both =
            withMicroBatch(c, microBatch, "smaller micro-batches and recomputation together save the most memory");
        both.config.recompute = Recompute::Full;
        list.push_back(std::move(both));
    }
    return list;
}

// Twice as many ranks, or half. Each rank's part of the global batch follows.
void addCounts(std::vector<Candidate> &list, const RunConfig &c)
{
    if (c.parallel.kind == ParallelKind::None)
        return;
    if (c.parallel.gpus * 2 <= 1024 && (c.gradAccum % 2 == 0 || c.microBatch % 2 == 0)) {
        Candidate more{c,
            "twice the GPUs on the same global batch: finishes sooner, but costs more where communication is exposed"};
        more.config.parallel.gpus *= 2;
        (c.gradAccum % 2 == 0 ? more.config.gradAccum : more.config.microBatch) /= 2;
        list.push_back(std::move(more));
    }
    if (c.parallel.gpus % 2 == 0 && c.parallel.gpus / 2 >= std::max(2, c.parallel.modelParallel())) {
        Candidate fewer{c, "half the GPUs, each with twice the micro-batches: less communication"};
        fewer.config.parallel.gpus /= 2;
        fewer.config.gradAccum *= 2;
        list.push_back(std::move(fewer));
    }
}

// More or fewer expert-parallel ranks.
void addExpertRanks(std::vector<Candidate> &list, const RunConfig &c, const ModelSpec &m)
{
    if (m.experts.count == 0)
        return;
    for (const int ep : std::set{c.parallel.ep / 2, c.parallel.ep * 2, m.experts.count}) {
        Candidate other{c, ep > c.parallel.ep ? "each rank keeps fewer experts and sends more tokens to other ranks"
                                              : "fewer tokens are sent to other ranks"};
        other.config.parallel.ep = ep;
        if (ep >= 1 && ep != c.parallel.ep && validateExperts(other.config.parallel, m))
            list.push_back(std::move(other));
    }
}

void addSchemes(std::vector<Candidate> &list, const RunConfig &c)
{
    if (c.parallel.dataParallel() < 2)
        return;
    const struct {
        ParallelKind kind;
        const char *why;
    } schemes[] = {{ParallelKind::Ddp, "each rank keeps a full replica: only gradients are communicated"},
        {ParallelKind::Zero1, "shards the optimizer states, but not the weights"},
        {ParallelKind::FsdpGradOp, "shards gradients and optimizer states; gathers the weights once per step"},
        {ParallelKind::FsdpFull, "shards all model states: leaves memory for a larger micro-batch"}};
    for (const auto &scheme : schemes) {
        if (scheme.kind == c.parallel.kind)
            continue;
        Candidate other{c, scheme.why};
        other.config.parallel.kind = scheme.kind;
        list.push_back(std::move(other));
    }
}

// Only a few are tried, because each needs a plan.
void addGpus(std::vector<Candidate> &list, const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    constexpr std::size_t kTried = 3;
    const Result<PriceBook> book = catalogue.priceBook(resolved.config.prices);
    if (!book)
        return;
    for (const Gpu *gpu : otherGpus(resolved, *book, catalogue, kTried)) {
        Candidate other{resolved.config, "another GPU of the price book"};
        other.config.gpu = gpu->id;
        list.push_back(std::move(other));
    }
}

// The price book with the lowest price for the GPU. Price books with relative prices are no offers.
void addBook(std::vector<Candidate> &list, const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    const Result<PriceBook> now = catalogue.priceBook(resolved.config.prices);
    if (!now || now->ratiosOnly)
        return;
    const int onNode = std::min(resolved.config.parallel.gpus, resolved.config.parallel.gpusPerNode);
    const auto present = priceOf(*now, resolved.gpu.id, onNode);
    std::optional<Price> least = present;
    std::string id;
    for (const PriceBook &book : catalogue.priceBooks) {
        const auto price = book.ratiosOnly ? std::nullopt : priceOf(book, resolved.gpu.id, onNode);
        if (price && least && price->usdPerGpuHour > 0 && price->usdPerGpuHour < least->usdPerGpuHour) {
            least = price;
            id = book.id;
        }
    }
    if (id.empty())
        return;
    Candidate cheaper{resolved.config, least->spot ? "spot prices: nodes can be preempted, which the goodput includes"
                                                   : "a cheaper offer of the same GPU"};
    cheaper.config.prices = id;
    list.push_back(std::move(cheaper));
}

// Assesses the candidate with the GPU that it names.
Result<Assessment> tried(
    const Candidate &candidate, const ResolvedConfig &resolved, const SharedPlan &shared, const Catalogue &catalogue)
{
    Result<Gpu> gpu = candidate.config.gpu == resolved.config.gpu ? resolved.gpu : catalogue.gpu(candidate.config.gpu);
    if (!gpu)
        return gpu.error();
    const ResolvedConfig other = changedConfig(resolved, candidate.config, *std::move(gpu), catalogue);
    return sharesPlan(other.config, resolved.config) ? assess(other, shared, catalogue) : assess(other, catalogue);
}

// The goal that the change helps, and its gain. Empty if it does not help.
std::optional<std::pair<Goal, double>> gainOf(const Assessment &now, const Assessment &then)
{
    if (then.memory.verdict == Verdict::Oom || !std::isfinite(then.speed.tokensPerSecond))
        return std::nullopt;
    if (now.memory.verdict != Verdict::Fits) {
        if (then.memory.peak >= now.memory.peak)
            return std::nullopt;
        return std::pair(Goal::Fit, 1 - double(then.memory.peak) / double(now.memory.peak));
    }
    if (then.memory.verdict != Verdict::Fits)
        return std::nullopt;
    const double faster = then.speed.tokensPerSecond / now.speed.tokensPerSecond;
    const std::optional<double> before = costOf(now), after = costOf(then);
    const double cheaper = before && after ? *before / *after : 0;
    if (std::max(faster, cheaper) <= kWorthwhileGain)
        return std::nullopt;
    return faster * 1.000001 >= cheaper ? std::pair(Goal::Speed, faster - 1) : std::pair(Goal::Cost, 1 - 1 / cheaper);
}

// Used if no single change was enough.
void addRoom(std::vector<Suggestion> &suggestions, const ResolvedConfig &resolved, const SharedPlan &shared,
    const Assessment &now, const Catalogue &catalogue)
{
    for (const std::vector<Candidate> &way :
        fittingCandidates(resolved.config, resolved.gpu, now.memory.peak, catalogue)) {
        for (const Candidate &candidate : way) {
            if (candidate.config == resolved.config || !validate(candidate.config, resolved.model))
                continue;
            const Result<Assessment> then = tried(candidate, resolved, shared, catalogue);
            if (!then || then->memory.verdict == Verdict::Oom || !std::isfinite(then->speed.tokensPerSecond))
                continue;
            suggestions.push_back(suggestionOf(resolved.config, candidate, *then, Goal::Fit, savedMemory(now, *then)));
            break;
        }
    }
}

// Used if these changes were not enough either.
Advice searched(const ResolvedConfig &resolved, const Assessment &now, const Catalogue &catalogue)
{
    const FitSearch found = searchFit(resolved, catalogue);
    const auto suggested = [&](const FittingPlan &room) {
        return suggestionOf(resolved.config, room.candidate, room.then, Goal::Fit, savedMemory(now, room.then));
    };
    Advice advice;
    for (const FittingPlan &room : found.fitting)
        advice.suggestions.push_back(suggested(room));
    if (advice.suggestions.empty() && found.least)
        advice.leastFound = suggested(*found.least);
    return advice;
}

// The suggestion with the figures of the plan that it leads to. Empty if this plan does not help.
std::optional<Suggestion> plannedAsAsked(
    const Suggestion &suggestion, const RunConfig &asked, const Assessment &now, const Catalogue &catalogue)
{
    const Result<RunConfig> changed = applySettings(asked, suggestion.change);
    if (!changed)
        return std::nullopt;
    const Result<ResolvedConfig> there = resolveConfig(*changed, catalogue);
    if (!there)
        return std::nullopt;
    const Result<Assessment> then = assess(*there, catalogue);
    if (!then || then->memory.verdict == Verdict::Oom || !std::isfinite(then->speed.tokensPerSecond))
        return std::nullopt;
    const auto gain =
        now.memory.verdict == Verdict::Oom ? std::pair(Goal::Fit, savedMemory(now, *then)) : gainOf(now, *then);
    if (!gain)
        return std::nullopt;
    return suggestionOf(asked, {*changed, suggestion.why}, *then, gain->first, gain->second);
}

// Settings of a framework's profile depend on the GPU, the strategy and others. The search keeps those of the plan at
// hand. What it finds is planned again with those that the change leads to.
void planAsAsked(
    std::vector<Suggestion> &suggestions, const RunConfig &asked, const Assessment &now, const Catalogue &catalogue)
{
    if (asked.software.empty())
        return;
    std::vector<Suggestion> holding;
    for (const Suggestion &suggestion : suggestions) {
        if (std::optional<Suggestion> planned = plannedAsAsked(suggestion, asked, now, catalogue))
            holding.push_back(*std::move(planned));
    }
    suggestions = std::move(holding);
}

} // namespace

Advice suggest(const RunConfig &asked, const ResolvedConfig &resolved, const SharedPlan &shared, const Assessment &now,
    std::int64_t maxMicroBatch, const Catalogue &catalogue)
{
    constexpr std::size_t kMost = 8;
    const bool fits = now.memory.verdict == Verdict::Fits;
    std::vector<Candidate> list = candidates(resolved.config, fits, maxMicroBatch);
    addSchemes(list, resolved.config);
    addExpertRanks(list, resolved.config, resolved.model);
    if (fits) {
        addCounts(list, resolved.config);
        addGpus(list, resolved, catalogue);
        addBook(list, resolved, catalogue);
    }
    Advice advice;
    std::vector<Suggestion> &suggestions = advice.suggestions;
    for (const Candidate &candidate : list) {
        const Result<Assessment> then = tried(candidate, resolved, shared, catalogue);
        const auto gain = then ? gainOf(now, *then) : std::nullopt;
        if (!gain)
            continue;
        suggestions.push_back(suggestionOf(resolved.config, candidate, *then, gain->first, gain->second));
    }
    planAsAsked(suggestions, asked, now, catalogue);
    if (suggestions.empty() && now.memory.verdict == Verdict::Oom) {
        addRoom(suggestions, resolved, shared, now, catalogue);
        planAsAsked(suggestions, asked, now, catalogue);
    }
    if (suggestions.empty() && now.memory.verdict == Verdict::Oom) {
        advice = searched(resolved, now, catalogue);
        planAsAsked(suggestions, asked, now, catalogue);
    }
    std::stable_sort(suggestions.begin(), suggestions.end(), [fits](const Suggestion &a, const Suggestion &b) {
        return fits ? a.gain > b.gain : a.tokensPerSecond > b.tokensPerSecond;
    });
    if (suggestions.size() > kMost)
        suggestions.resize(kMost);
    return advice;
}

} // namespace slipway
