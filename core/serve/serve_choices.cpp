// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Prices of a server, and GPUs that meet the latency targets.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "cost/cost.h"
#include "serve/serve_prediction.h"

namespace slipway {

namespace {

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
    std::int64_t least = std::min(maxSequences(s, s.config.contiguous), s.software.sequences), late = least + 1;
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
    choice.rented = rentedGpus(*price, s->config.run.parallel);
    choice.usdPerHour = price->usdPerGpuHour * choice.rented;
    choice.usdPerMillionTokens = perMillion(choice.usdPerHour, choice.tokensPerSecond).value_or(0);
    return choice;
}

} // namespace

ServeOutcome outcomeOf(const Serving &s, const Catalogue &catalogue)
{
    const ServingMemory memory = memoryOf(s, s.config.batch);
    ServeOutcome outcome{.verdict = verdictOf(memory),
        .peak = memory.peak,
        .cache = memory.cache,
        .maxSequences = maxSequences(s, s.config.contiguous),
        .ttft = prefillTime(s, 1),
        .tpot = decodeTime(s, s.config.batch),
        .tokensPerSecond = throughput(s, s.config.batch)};
    const Result<PriceBook> book = catalogue.priceBook(s.config.run.prices);
    const Parallelism &mesh = s.config.run.parallel;
    const auto price = book && !book->ratiosOnly ? priceOf(*book, s.gpu.id, mesh.gpus) : std::nullopt;
    if (price) {
        outcome.usdPerHour = price->usdPerGpuHour * rentedGpus(*price, mesh);
        outcome.usdPerMillionTokens = perMillion(*outcome.usdPerHour, outcome.tokensPerSecond);
    }
    return outcome;
}

Result<ServeOutcome> serveOutcome(const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks)
{
    const Result<Serving> serving = resolveServing(config, catalogue, frameworks);
    if (!serving)
        return serving.error();
    if (const Result<PriceBook> book = catalogue.priceBook(config.run.prices); !book)
        return book.error();
    return outcomeOf(*serving, catalogue);
}

std::vector<ServePrice> servePrices(const ServePrediction &p, const Catalogue &catalogue)
{
    std::vector<ServePrice> prices;
    const Parallelism &mesh = p.serving.config.run.parallel;
    const bool fits = p.verdict != Verdict::Oom;
    for (const PriceBook &book : catalogue.priceBooks) {
        const auto price = priceOf(book, p.serving.gpu.id, mesh.gpus);
        if (!price || book.ratiosOnly)
            continue;
        ServePrice own{.price = *price, .rented = rentedGpus(*price, mesh)};
        own.usdPerHour = price->usdPerGpuHour * own.rented;
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
        for (int tp = 1; tp <= kMostServingRanks && !gpu.isCpu; tp *= 2) {
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

} // namespace slipway
