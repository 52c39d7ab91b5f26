// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Prices of a server, GPUs that meet the latency targets, and changes by which a server fits.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "cost/cost.h"
#include "serve/serve_prediction.h"

namespace slipway {

namespace {

constexpr int kMostRanks = 8; // of a node
constexpr std::size_t kMostSuggestions = 5;

std::optional<Usd> perMillion(Usd usdPerHour, double tokensPerSecond)
{
    return tokensPerSecond > 0 ? std::optional(usdPerHour / 3600 / tokensPerSecond * 1e6) : std::nullopt;
}

// The most sequences whose tokens come in time; 0: none, or the first one comes too late.
std::int64_t batchInTime(const Serving &s)
{
    const auto inTime = [&](std::int64_t batch) { return !s.config.tpot || decodeTime(s, batch) <= *s.config.tpot; };
    if ((s.config.ttft && prefillTime(s, 1) > *s.config.ttft) || !inTime(1))
        return 0;
    std::int64_t least = std::min(mostSequences(s, s.config.contiguous), s.software.sequences), late = least + 1;
    if (least > 0 && !inTime(least)) {
        late = least;
        least = 1;
        while (late - least > 1) {
            const std::int64_t middle = least + (late - least) / 2;
            (inTime(middle) ? least : late) = middle;
        }
    }
    return least;
}

std::optional<GpuChoice> gpuChoiceWith(ServeConfig config, const Gpu &gpu, int tp, const PriceBook &book,
    const Catalogue &catalogue, const Frameworks &frameworks)
{
    config.run.gpu = gpu.id;
    config.run.memoryGib.reset(); // a limit of the configuration's own GPU
    config.run.parallel.tp = tp;
    config.batch = 1;
    const auto price = priceOf(book, gpu.id, tp);
    const Result<Serving> s = resolveServing(config, catalogue, frameworks);
    if (!price || !s)
        return {};
    const std::int64_t batch = batchInTime(*s);
    if (batch == 0)
        return {};
    GpuChoice choice{.gpu = gpu.id, .name = gpu.name, .tp = tp, .batch = batch};
    choice.ttft = prefillTime(*s, 1);
    choice.tpot = decodeTime(*s, batch);
    choice.tokensPerSecond = throughput(*s, batch);
    choice.usdPerHour = price->usdPerGpuHour * rentedGpus(*price, s->config.run.parallel);
    choice.usdPerMillionTokens = perMillion(choice.usdPerHour, choice.tokensPerSecond).value_or(0);
    return choice;
}

struct Change {
    std::vector<std::pair<std::string, std::string>> settings;
    std::string why;
};

// From what costs nothing to what costs most.
std::vector<Change> changesOf(const Serving &s)
{
    const ServeConfig &c = s.config;
    std::vector<Change> changes;
    if (c.contiguous)
        changes.push_back(
            {{{"contiguous", "false"}}, "A paged KV cache reserves only the blocks that a sequence uses."});
    if (c.kv != StoredType::Fp8)
        changes.push_back({{{"kv", "fp8"}}, "Keys and values take one byte per number."});
    if (s.layout.weightBits > 8)
        changes.push_back({{{"weights", "fp8"}}, "Weights take one byte per parameter."});
    if (c.weights != StoredType::Int4)
        changes.push_back({{{"weights", "int4"}}, "Weights take about half a byte per parameter."});
    if (s.layout.weightBits > 8 && c.kv != StoredType::Fp8)
        changes.push_back({{{"weights", "fp8"}, {"kv", "fp8"}}, "Weights, keys and values take one byte per number."});
    for (int tp = 2 * c.run.parallel.tp; tp <= kMostRanks && !s.gpu.isCpu; tp *= 2)
        changes.push_back({{{"tp", std::to_string(tp)}}, "The GPUs shard the weights and the KV cache."});
    return changes;
}

bool fitsWith(const Serving &s)
{
    const ServingMemory m = memoryOf(s, s.config.batch);
    return m.fits() && m.cache <= m.pool;
}

} // namespace

std::vector<ServePrice> servePrices(const ServePrediction &p, const Catalogue &catalogue)
{
    std::vector<ServePrice> prices;
    const Parallelism &mesh = p.serving.config.run.parallel;
    const bool fits = p.verdict != Verdict::Oom;
    for (const PriceBook &book : catalogue.priceBooks) {
        const auto price = priceOf(book, p.serving.gpu.id, mesh.gpus);
        if (!price || book.ratiosOnly)
            continue;
        ServePrice own{.price = *price, .usdPerHour = price->usdPerGpuHour * rentedGpus(*price, mesh)};
        own.price.book = book.id;
        own.price.asOf = price->asOf.empty() ? book.asOf : price->asOf;
        own.atBatch = fits ? perMillion(own.usdPerHour, p.speed.tokensPerSecond) : std::nullopt;
        own.atBest = perMillion(own.usdPerHour, p.speed.tokensPerSecondMost);
        prices.push_back(std::move(own));
    }
    std::stable_sort(prices.begin(), prices.end(), [&](const ServePrice &a, const ServePrice &b) {
        return std::pair(a.price.book != p.priceBook, a.usdPerHour) <
               std::pair(b.price.book != p.priceBook, b.usdPerHour);
    });
    return prices;
}

std::vector<GpuChoice> gpuChoicesFor(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks)
{
    std::vector<GpuChoice> choices;
    const Result<PriceBook> book = catalogue.priceBook(config.run.prices);
    if (!book)
        return choices;
    for (const Gpu &gpu : catalogue.gpus) {
        std::optional<GpuChoice> best;
        for (int tp = 1; tp <= kMostRanks && !gpu.isCpu; tp *= 2) {
            const auto choice = gpuChoiceWith(config, gpu, tp, *book, catalogue, frameworks);
            if (choice && (!best || choice->usdPerMillionTokens < best->usdPerMillionTokens))
                best = choice;
        }
        if (best)
            choices.push_back(*std::move(best));
    }
    std::stable_sort(choices.begin(), choices.end(),
        [](const GpuChoice &a, const GpuChoice &b) { return a.usdPerMillionTokens < b.usdPerMillionTokens; });
    return choices;
}

std::vector<ServeSuggestion> suggestionsFor(
    const Serving &serving, const Catalogue &catalogue, const Frameworks &frameworks)
{
    std::vector<ServeSuggestion> suggestions;
    const auto tryWith = [&](Change change) {
        ServeConfig config = serving.config;
        for (const auto &[key, value] : change.settings) {
            if (!setServeSetting(config, key, value))
                return;
        }
        const Result<Serving> s = resolveServing(config, catalogue, frameworks);
        if (!s || !fitsWith(*s) || suggestions.size() >= kMostSuggestions)
            return;
        suggestions.push_back({.change = std::move(change.settings),
            .why = std::move(change.why),
            .peak = memoryOf(*s, config.batch).peak,
            .mostSequences = mostSequences(*s, config.contiguous),
            .tpot = decodeTime(*s, config.batch)});
    };
    for (Change &change : changesOf(serving))
        tryWith(std::move(change));
    if (const std::int64_t most = mostSequences(serving, serving.config.contiguous);
        most > 0 && most < serving.config.batch)
        tryWith({{{"batch", std::to_string(most)}}, "The largest batch that fits; further requests wait."});
    if (suggestions.empty()) // everything at once
        tryWith({{{"weights", "int4"}, {"kv", "fp8"}, {"tp", std::to_string(kMostRanks)}},
            "The smallest types of weights and KV cache, on all GPUs of a node."});
    return suggestions;
}

} // namespace slipway
