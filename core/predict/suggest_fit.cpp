// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/suggest_fit.h"

#include <algorithm>
#include <utility>

namespace slipway {

namespace {

constexpr int kMostTimes = 64; // limit of suggested ranks, relative to the present ones
constexpr std::size_t kMostGpus = 3;

// Sets micro-batch 1 and full recomputation.
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
    std::vector<Candidate> list{{all, "all together: micro-batch 1 and full recomputation" +
                                          std::string(c.parallel.dataParallel() > 1 ? ", model states sharded" : "")}};
    if (canPackFrozenWeights(c)) {
        all.frozenWeights = FrozenWeights::Nf4;
        list.push_back({all, "all together: micro-batch 1, full recomputation, and frozen weights in 4 bits (QLoRA)"});
    }
    return list;
}

// Doubles the ranks until they hold the optimizer states. Each rank's part of the global batch follows.
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

// Larger GPUs, the cheapest of the price book first.
std::vector<Candidate> largerGpus(const RunConfig &c, const Gpu &gpu, Bytes peak, const Catalogue &catalogue)
{
    std::vector<std::pair<double, Candidate>> found;
    const Result<PriceBook> book = catalogue.priceBook(c.prices);
    for (const Gpu &larger : catalogue.gpus) {
        const auto price = larger.isCpu || gpu.isCpu || !book || larger.memoryBytes <= std::max(peak, gpu.memoryBytes)
                               ? std::nullopt
                               : priceOf(*book, larger.id, std::min(c.parallel.gpus, c.parallel.gpusPerNode));
        if (!price || price->usdPerGpuHour <= 0)
            continue;
        found.push_back({price->usdPerGpuHour, {c, "a GPU with more memory"}});
        found.back().second.config.gpu = larger.id;
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Candidate> list;
    for (std::size_t i = 0; i < std::min(kMostGpus, found.size()); ++i)
        list.push_back(std::move(found[i].second));
    return list;
}

} // namespace

bool canPackFrozenWeights(const RunConfig &config)
{
    return config.trainsAdapters() && config.frozenWeights != FrozenWeights::Nf4;
}

std::vector<std::vector<Candidate>> fittingCandidates(
    const RunConfig &config, const Gpu &gpu, Bytes peak, const Catalogue &catalogue)
{
    if (config.memoryGib)
        return {together(config), moreRanks(config)}; // the limit would also hold for any other GPU
    return {together(config), moreRanks(config), largerGpus(config, gpu, peak, catalogue)};
}

} // namespace slipway
