// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/offers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "cost/cost.h"
#include "predict/assess.h"
#include "predict/calibrated.h"
#include "predict/gpu_types.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

// The price per hour of everything that must be rented. Instances that hold the plan's nodes come first.
std::pair<bool, Usd> worthOf(const Offer &offer, const Price &price)
{
    return {!offer.isFullNodeAt(price), price.usdPerGpuHour * offer.rentedAt(price)};
}

void priceIt(Offer &offer, const Catalogue &catalogue, const PriceBook &planned)
{
    const int onNode = std::min(offer.config.parallel.gpus, offer.config.parallel.gpusPerNode);
    offer.asPlanned = planned.ratiosOnly ? std::nullopt : priceOf(planned, offer.config.gpu, onNode);
    for (const PriceBook &book : catalogue.priceBooks) {
        if (book.ratiosOnly || book.medians)
            continue;
        for (const Price &price : book.prices) {
            if (price.gpu != offer.config.gpu || !(price.usdPerGpuHour > 0))
                continue;
            std::optional<Price> &least = price.spot ? offer.spot : offer.cheapest;
            if (!least || worthOf(offer, price) < worthOf(offer, *least))
                least = price;
        }
    }
}

// A way to run the step. GPUs share its plan unless settings of the framework's profile depend on them.
struct Way {
    RunConfig config;
    Assessor assessor = {};
};

// From the configuration itself to the one with the largest headroom. All have the same global batch.
std::vector<Way> waysToRun(const RunConfig &config)
{
    std::vector<Way> ways;
    for (const Recompute recompute : {config.recomputeOrNone(), Recompute::Full}) {
        if (!ways.empty() && recompute == config.recomputeOrNone())
            continue;
        RunConfig way = config;
        way.recompute = recompute;
        for (;; way.microBatch /= 2, way.gradAccum *= 2) {
            ways.push_back({.config = way});
            if (way.microBatch % 2 != 0)
                break;
        }
    }
    return ways;
}

class Comparison {
public:
    Comparison(const RunConfig &asked, const ResolvedConfig &resolved, const Catalogue &catalogue, PriceBook book)
        : m_planned(withSettledChoices(asked, resolved.config)),
          m_resolved(resolved),
          m_catalogue(catalogue),
          m_book(std::move(book)),
          m_ways(waysToRun(m_planned))
    {
    }

    Offer on(const Gpu &gpu)
    {
        Offer offer{.config = m_planned, .gpuName = gpu.name};
        offer.config.gpu = gpu.id;
        if (gpu.id != m_resolved.gpu.id)
            offer.config.memoryGib.reset(); // the limit belongs to the other GPU
        priceIt(offer, m_catalogue, m_book);
        if (gpu.id != m_resolved.gpu.id && lacksBf16(offer.config, gpu)) {
            offer.skipped = "does not support bf16 GEMMs; --precision fp16-mixed";
            return offer;
        }
        bool first = true;
        for (Way &way : m_ways) {
            const Result<Assessment> tried = assessed(way, gpu, offer.config);
            if (!tried) {
                offer.skipped = first ? tried.error().message() : offer.skipped;
                break;
            }
            const bool fits = tried->memory.verdict != Verdict::Oom;
            if (first || fits)
                take(offer, way.config, *tried);
            if (fits)
                break;
            first = false;
        }
        return offer;
    }

private:
    Result<Assessment> assessed(Way &way, const Gpu &gpu, const RunConfig &there)
    {
        RunConfig config = way.config;
        config.gpu = gpu.id;
        config.memoryGib = there.memoryGib;
        const Result<ResolvedConfig> resolved = resolveConfig(config, m_catalogue);
        return resolved ? way.assessor.assess(*resolved, m_catalogue) : resolved.error();
    }

    static void take(Offer &offer, const RunConfig &way, const Assessment &a)
    {
        offer.config.microBatch = way.microBatch;
        offer.config.gradAccum = way.gradAccum;
        offer.config.recompute = way.recompute;
        offer.verdict = a.memory.verdict;
        offer.peak = a.memory.peak;
        offer.capacity = a.memory.capacity;
        offer.tokensPerSecond = a.speed.tokensPerSecond;
        offer.stepP10 = a.speed.stepP10;
        offer.step = a.speed.step;
        offer.stepP90 = a.speed.stepP90;
        offer.hours = a.cost.hours;
    }

    const RunConfig m_planned;
    const ResolvedConfig &m_resolved;
    const Catalogue &m_catalogue;
    PriceBook m_book;
    std::vector<Way> m_ways;
};

// The lowest price on demand. Without an offer on demand, the price of the plan's price book, then spot.
double worth(const Offer &offer)
{
    const std::optional<Price> &price = offer.cheapest    ? offer.cheapest
                                        : offer.asPlanned ? offer.asPlanned
                                                          : offer.spot;
    return price && offer.runs() ? offer.usdAt(*price) : std::numeric_limits<double>::infinity();
}

Json priceJson(const Offer &offer, const std::optional<Price> &price)
{
    if (!price)
        return nullptr;
    return {{"price_book", price->book}, {"price_date", price->asOf}, {"usd_per_gpu_hour", price->usdPerGpuHour},
        {"instance_gpus", price->gpus}, {"rented_gpus", offer.rentedAt(*price)}, {"joined", offer.isFullNodeAt(*price)},
        {"usd", offer.runs() ? Json(offer.usdAt(*price)) : Json(nullptr)}};
}

} // namespace

int Offer::rentedAt(const Price &price) const { return rentedGpus(price, config.parallel); }

bool Offer::isFullNodeAt(const Price &price) const { return isFullNode(price, config.parallel); }

std::string Offer::rentalNote(const Price &price) const
{
    std::string note;
    if (!isFullNodeAt(price))
        note = price.gpus == 1 ? "listed as single GPUs" : fmt::format("listed by {}", price.gpus);
    if (rentedAt(price) > config.parallel.gpus)
        note += fmt::format("{}rents {} for {}", note.empty() ? "" : ", ", rentedAt(price), config.parallel.gpus);
    return note;
}

std::string rentalCostText(const Offer &offer, const std::optional<Price> &price, bool named)
{
    if (!price || !offer.runs())
        return "-";
    const std::string note = offer.rentalNote(*price);
    return formatUsd(offer.usdAt(*price)) + (named ? " " + price->book : "") + (note.empty() ? "" : " (" + note + ")");
}

Result<std::vector<Offer>> offersFor(const RunConfig &config, const Catalogue &catalogue)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    const Result<PriceBook> book = catalogue.priceBook(config.prices);
    if (!book)
        return book.error();
    Comparison comparison(config, *resolved, catalogue, *book);
    std::vector<Offer> offers;
    for (const Gpu &gpu : catalogue.gpus) {
        const bool own = gpu.id == resolved->gpu.id;
        if (gpu.isCpu != resolved->gpu.isCpu)
            continue;
        Offer offer = comparison.on(gpu);
        if (own || offer.asPlanned || offer.cheapest || offer.spot)
            offers.push_back(std::move(offer));
    }
    std::stable_sort(offers.begin(), offers.end(),
        [](const Offer &a, const Offer &b) { return std::pair(!a.runs(), worth(a)) < std::pair(!b.runs(), worth(b)); });
    return offers;
}

Json toJson(const std::vector<Offer> &offers)
{
    Json list = Json::array();
    for (const Offer &offer : offers) {
        const RunConfig &c = offer.config;
        if (!offer.skipped.empty()) {
            list.push_back({{"gpu", c.gpu}, {"skipped", offer.skipped}});
            continue;
        }
        list.push_back({{"gpu", c.gpu}, {"gpus", c.parallel.gpus}, {"micro_batch", c.microBatch},
            {"grad_accum", c.gradAccum}, {"recompute", enumName(c.recomputeOrNone())},
            {"verdict", enumName(offer.verdict)}, {"peak_bytes", offer.peak}, {"capacity_bytes", offer.capacity},
            {"tokens_per_s", offer.tokensPerSecond}, {"step_p10_s", offer.stepP10}, {"step_s", offer.step},
            {"step_p90_s", offer.stepP90}, {"hours", offer.hours}, {"as_planned", priceJson(offer, offer.asPlanned)},
            {"cheapest", priceJson(offer, offer.cheapest)}, {"spot", priceJson(offer, offer.spot)},
            {"skipped", nullptr}});
    }
    return list;
}

std::string toCsv(const std::vector<Offer> &offers)
{
    static constexpr std::array kKeys{"gpu", "gpus", "micro_batch", "grad_accum", "recompute", "verdict", "peak_bytes",
        "capacity_bytes", "tokens_per_s", "step_p10_s", "step_s", "step_p90_s", "hours", "skipped"};
    static constexpr std::array kPrices{"as_planned", "cheapest", "spot"};
    static constexpr std::array kOfPrice{
        "price_book", "price_date", "usd_per_gpu_hour", "instance_gpus", "rented_gpus", "joined", "usd"};
    const auto cell = [](const Json &of, const char *key) {
        if (!of.is_object() || !of.contains(key) || of[key].is_null())
            return std::string();
        const Json &value = of[key];
        return value.is_string()         ? value.get<std::string>()
               : value.is_number_float() ? formatExact(value)
                                         : value.dump();
    };
    std::vector<std::string> header(kKeys.begin(), kKeys.end());
    for (const std::string price : kPrices)
        for (const char *key : kOfPrice)
            header.push_back(price + "_" + key);
    std::string csv = csvRecord(header);
    for (const Json &offer : toJson(offers)) {
        std::vector<std::string> row;
        for (const char *key : kKeys)
            row.push_back(cell(offer, key));
        for (const char *price : kPrices)
            for (const char *key : kOfPrice)
                row.push_back(offer.contains(price) ? cell(offer[price], key) : std::string());
        csv += csvRecord(row);
    }
    return csv;
}

std::string toText(const std::vector<Offer> &offers)
{
    std::string text =
        fmt::format("\nThe same training step on other GPUs, lowest cost of the token budget first (predicted; quoted "
                    "prices; whole instances)\n{:<24} {:>7} {:>10} {:>9} {:>12} {:>14}  {:<34} {}\n",
            "GPU", "verdict", "peak", "tokens/s", "time", "this price book", "cheapest on demand", "cheapest spot");
    for (const Offer &offer : offers) {
        if (!offer.skipped.empty()) {
            text += fmt::format("{:<24} {}\n", offer.config.gpu, offer.skipped);
            continue;
        }
        const bool runs = offer.runs();
        text += fmt::format("{:<24} {:>7} {:>10} {:>9} {:>12} {:>14}  {:<34} {}\n", offer.config.gpu,
            enumName(offer.verdict), formatBytes(offer.peak), runs ? formatCount(offer.tokensPerSecond) : "-",
            runs ? formatSeconds(offer.hours * 3600) : "-", rentalCostText(offer, offer.asPlanned, false),
            rentalCostText(offer, offer.cheapest, true), rentalCostText(offer, offer.spot, true));
    }
    return text;
}

} // namespace slipway
