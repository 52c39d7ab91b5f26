// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/suggest_fit.h"

#include <algorithm>
#include <utility>

namespace slipway {

namespace {

constexpr int kMostRanks = 1024, kMostTimes = 64; // ranks that a suggestion names; times as many as there are
constexpr std::size_t kMostCards = 3;

// One sequence at a time, each layer computed again.
void saveActivations(RunConfig &c)
{
    c.gradAccum *= c.microBatch;
    c.microBatch = 1;
    c.recompute = Recompute::Full;
    c.recomputeOps.clear();
}

std::vector<Candidate> together(const RunConfig &c)
{
    RunConfig all = c;
    if (c.parallel.dataParallel() > 1)
        all.parallel.kind = ParallelKind::FsdpFull;
    saveActivations(all);
    return {{all, "all together: micro-batch 1 and full recomputation" +
                      std::string(c.parallel.dataParallel() > 1 ? ", model states sharded" : "")}};
}

// Twice as many ranks until they hold the states; what a rank takes of a step follows.
std::vector<Candidate> moreRanks(const RunConfig &c)
{
    std::vector<Candidate> list;
    for (int times = 2; times <= kMostTimes && c.parallel.gpus * times <= kMostRanks; times *= 2) {
        const std::int64_t sequences = c.microBatch * c.gradAccum;
        if (sequences % times != 0)
            break;
        RunConfig more = c;
        more.parallel.gpus *= times;
        more.parallel.kind = ParallelKind::FsdpFull;
        const std::int64_t each = sequences / times;
        more.microBatch = each % c.microBatch == 0 ? c.microBatch : each;
        more.gradAccum = each / more.microBatch;
        list.push_back({more, "more GPUs shard the model states and share the global batch"});
        saveActivations(more);
        list.push_back({more, "more GPUs shard the model states; micro-batch 1 and full recomputation"});
    }
    return list;
}

// The cheapest of the price book first.
std::vector<Candidate> largerCards(const RunConfig &c, const Gpu &gpu, Bytes peak, const Catalogue &catalogue)
{
    std::vector<std::pair<double, Candidate>> cards;
    const Result<PriceBook> book = catalogue.priceBook(c.prices);
    for (const Gpu &card : catalogue.gpus) {
        const auto price = card.isCpu || gpu.isCpu || !book || card.memoryBytes <= std::max(peak, gpu.memoryBytes)
                               ? std::nullopt
                               : priceOf(*book, card.id, std::min(c.parallel.gpus, c.parallel.gpusPerNode));
        if (!price || price->usdPerGpuHour <= 0)
            continue;
        cards.push_back({price->usdPerGpuHour, {c, "a GPU with more memory"}});
        cards.back().second.config.gpu = card.id;
    }
    std::stable_sort(cards.begin(), cards.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Candidate> list;
    for (std::size_t i = 0; i < std::min(kMostCards, cards.size()); ++i)
        list.push_back(std::move(cards[i].second));
    return list;
}

} // namespace

std::vector<std::vector<Candidate>> fittingCandidates(
    const RunConfig &config, const Gpu &gpu, Bytes peak, const Catalogue &catalogue)
{
    if (config.memoryGib)
        return {together(config), moreRanks(config)}; // the cap would hold for any GPU
    return {together(config), moreRanks(config), largerCards(config, gpu, peak, catalogue)};
}

} // namespace slipway
