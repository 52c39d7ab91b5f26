// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Changes by which a server fits, meets its latency targets, or gives more tokens per second or per dollar.
#include <algorithm>
#include <tuple>
#include <utility>

#include "config/settings.h"
#include "cost/cost.h"
#include "serve/serve_prediction.h"

namespace slipway {

namespace {

constexpr std::size_t kMostSuggestions = 6, kMostGpus = 2;
constexpr std::ptrdiff_t kMostOfEach = 4; // of speed, so that cheaper servers stay in sight
constexpr double kWorthwhileGain = 0.03;

struct Change {
    SettingTexts settings;
    std::string why;
};

constexpr const char *kFewerBits = "Answers change slightly.";

// From what costs nothing to what costs most.
std::vector<Change> smallerChanges(const Serving &s)
{
    const ServeConfig &c = s.config;
    std::vector<Change> changes;
    const auto add = [&](SettingTexts settings, std::string why) {
        changes.push_back({std::move(settings), std::move(why)});
    };
    if (c.contiguous)
        add({{"contiguous", "false"}}, "A paged KV cache reserves only the blocks that a sequence uses.");
    if (c.kv != StoredType::Fp8)
        add({{"kv", "fp8"}}, std::string("Keys and values take one byte per number.") + " " + kFewerBits);
    if (s.layout.weightBits > 8)
        add({{"weights", "fp8"}}, std::string("Weights take one byte per parameter.") + " " + kFewerBits);
    if (c.weights != StoredType::Int4)
        add({{"weights", "int4"}}, std::string("Weights take about half a byte per parameter.") + " " + kFewerBits);
    if (s.layout.weightBits > 8 && c.kv != StoredType::Fp8)
        add({{"weights", "fp8"}, {"kv", "fp8"}},
            std::string("Weights, keys and values take one byte per number.") + " " + kFewerBits);
    return changes;
}

void addRanks(std::vector<Change> &changes, const Serving &s)
{
    for (int tp = 2 * s.config.run.parallel.tp; tp <= kMostServingRanks && !s.gpu.isCpu; tp *= 2)
        changes.push_back({{{"tp", std::to_string(tp)}}, "The GPUs shard the weights and the KV cache."});
}

bool meetsTargets(const ServeConfig &c, const ServeOutcome &o)
{
    return (!c.ttft || o.ttft <= *c.ttft) && (!c.tpot || o.tpot <= *c.tpot);
}

// The batch with the most tokens per second among those that fit and keep the targets.
std::int64_t fastestBatch(const Serving &s, std::int64_t most)
{
    std::int64_t best = s.config.batch;
    double fastest = throughput(s, best);
    const auto look = [&](std::int64_t batch) {
        const double here = throughput(s, batch);
        if (here > fastest && (!s.config.tpot || decodeTime(s, batch) <= *s.config.tpot))
            std::tie(best, fastest) = std::pair(batch, here);
    };
    most = std::min(most, s.software.sequences);
    for (std::int64_t batch = 2 * s.config.batch; batch < most; batch *= 2)
        look(batch);
    if (most > s.config.batch)
        look(most);
    return best;
}

// The largest batch below the present one whose tokens come in time; 0: none.
std::int64_t smallerBatchInTime(const Serving &s)
{
    if (!s.config.tpot)
        return 0;
    std::int64_t least = 0, late = s.config.batch;
    while (late - least > 1) {
        const std::int64_t middle = least + (late - least) / 2;
        (decodeTime(s, middle) <= *s.config.tpot ? least : late) = middle;
    }
    return least;
}

class Search {
public:
    Search(const Serving &serving, const Catalogue &catalogue, const Frameworks &frameworks)
        : m_serving(serving),
          m_catalogue(catalogue),
          m_frameworks(frameworks),
          m_now(outcomeOf(serving, catalogue))
    {
    }

    std::vector<ServeSuggestion> run()
    {
        m_now.verdict == Verdict::Oom ? searchFit() : searchBetter();
        const bool fits = m_now.verdict != Verdict::Oom;
        std::stable_sort(m_found.begin(), m_found.end(), [fits](const ServeSuggestion &a, const ServeSuggestion &b) {
            return fits && std::pair(a.goal, -a.gain) < std::pair(b.goal, -b.gain);
        });
        std::ptrdiff_t faster = 0;
        std::erase_if(m_found,
            [&faster](const ServeSuggestion &each) { return each.goal == ServeGoal::Speed && ++faster > kMostOfEach; });
        if (m_found.size() > kMostSuggestions)
            m_found.resize(kMostSuggestions);
        return std::move(m_found);
    }

private:
    // Empty: the settings do not go together, or the batch does not fit.
    std::optional<ServeOutcome> outcomeWith(const SettingTexts &settings) const
    {
        ServeConfig config = m_serving.config;
        for (const auto &[key, value] : settings) {
            if (!setServeSetting(config, key, value))
                return {};
        }
        const Result<ServeOutcome> outcome = serveOutcome(config, m_catalogue, m_frameworks);
        return outcome && outcome->verdict != Verdict::Oom ? std::optional(*outcome) : std::nullopt;
    }

    void tryToFit(Change change)
    {
        if (const auto then = outcomeWith(change.settings))
            m_found.push_back({.change = std::move(change.settings),
                .why = std::move(change.why),
                .goal = ServeGoal::Fit,
                .gain = 1 - double(then->peak) / double(m_now.peak),
                .then = *then});
    }

    void searchFit()
    {
        std::vector<Change> changes = smallerChanges(m_serving);
        addRanks(changes, m_serving);
        for (Change &change : changes)
            tryToFit(std::move(change));
        m_found.resize(std::min(m_found.size(), kMostSuggestions - 1)); // the batch stays in sight
        if (m_now.maxSequences > 0 && m_now.maxSequences < m_serving.config.batch)
            tryToFit({{{"batch", std::to_string(m_now.maxSequences)}},
                "The largest batch that fits; further requests wait."});
        if (m_found.empty()) // everything at once
            tryToFit({{{"weights", "int4"}, {"kv", "fp8"}, {"tp", std::to_string(kMostServingRanks)}},
                "The smallest types of weights and KV cache, on all GPUs of a node."});
    }

    // What the change is for; empty: it does not help.
    std::optional<std::pair<ServeGoal, double>> gainOf(const ServeOutcome &then) const
    {
        const ServeConfig &c = m_serving.config;
        if (!meetsTargets(c, then))
            return {};
        if (!meetsTargets(c, m_now)) {
            const bool late = c.tpot && m_now.tpot > *c.tpot;
            return std::pair(ServeGoal::Latency, late ? 1 - then.tpot / m_now.tpot : 1 - then.ttft / m_now.ttft);
        }
        const double faster = then.tokensPerSecond / m_now.tokensPerSecond;
        const double cheaper = m_now.usdPerMillionTokens && then.usdPerMillionTokens
                                   ? *m_now.usdPerMillionTokens / *then.usdPerMillionTokens
                                   : 0;
        if (std::max(faster, cheaper) <= 1 + kWorthwhileGain)
            return {};
        return faster * 1.000001 >= cheaper ? std::pair(ServeGoal::Speed, faster - 1)
                                            : std::pair(ServeGoal::Cost, 1 - 1 / cheaper);
    }

    void tryToImprove(Change change)
    {
        const auto then = outcomeWith(change.settings);
        const auto gain = then ? gainOf(*then) : std::nullopt;
        if (gain)
            m_found.push_back({.change = std::move(change.settings),
                .why = std::move(change.why),
                .goal = gain->first,
                .gain = gain->second,
                .then = *then});
    }

    void searchBetter()
    {
        const ServeConfig &c = m_serving.config;
        const std::int64_t batch =
            meetsTargets(c, m_now) ? fastestBatch(m_serving, m_now.maxSequences) : smallerBatchInTime(m_serving);
        if (batch > c.batch)
            tryToImprove({{{"batch", std::to_string(batch)}},
                "A step reads the weights once for all sequences. Each token takes longer."});
        else if (batch > 0 && batch < c.batch)
            tryToImprove({{{"batch", std::to_string(batch)}}, "The largest batch that meets the target."});
        for (Change &change : smallerChanges(m_serving))
            tryToImprove(std::move(change));
        const int tp = c.run.parallel.tp;
        if (2 * tp <= kMostServingRanks && !m_serving.gpu.isCpu)
            tryToImprove({{{"tp", std::to_string(2 * tp)}},
                "Each GPU computes a shard of each token and holds a shard of its KV cache."});
        if (tp > 1)
            tryToImprove({{{"tp", std::to_string(tp / 2)}}, "Fewer GPUs communicate less."});
        tryGpus();
        tryBooks();
    }

    // The GPUs of the price book with the least dollars per token.
    void tryGpus()
    {
        const Result<PriceBook> book = m_catalogue.priceBook(m_serving.config.run.prices);
        if (!book || m_serving.gpu.isCpu)
            return;
        std::vector<ServeSuggestion> gpus;
        std::swap(gpus, m_found);
        for (const Gpu &gpu : m_catalogue.gpus) {
            if (gpu.id != m_serving.gpu.id && !gpu.isCpu && priceOf(*book, gpu.id, m_serving.config.run.parallel.tp))
                tryToImprove({{{"gpu", gpu.id}}, "Another GPU of the price book."});
        }
        std::swap(gpus, m_found);
        std::stable_sort(gpus.begin(), gpus.end(), [](const ServeSuggestion &a, const ServeSuggestion &b) {
            return a.then.usdPerMillionTokens < b.then.usdPerMillionTokens;
        });
        gpus.resize(std::min(gpus.size(), kMostGpus));
        m_found.insert(m_found.end(), gpus.begin(), gpus.end());
    }

    // The book with the least price for this GPU; books of ratios are no offers.
    void tryBooks()
    {
        std::optional<Price> least;
        std::string id;
        const int ranks = m_serving.config.run.parallel.tp;
        for (const PriceBook &book : m_catalogue.priceBooks) {
            const auto price = book.ratiosOnly ? std::nullopt : priceOf(book, m_serving.gpu.id, ranks);
            if (price && (!least || price->usdPerGpuHour < least->usdPerGpuHour)) {
                least = price;
                id = book.id;
            }
        }
        if (least)
            tryToImprove({{{"prices", id}},
                least->spot ? "Spot prices: a server can be preempted." : "A cheaper offer of the same GPU."});
    }

    const Serving &m_serving;
    const Catalogue &m_catalogue;
    const Frameworks &m_frameworks;
    ServeOutcome m_now;
    std::vector<ServeSuggestion> m_found;
};

} // namespace

std::vector<ServeSuggestion> suggestionsFor(
    const Serving &serving, const Catalogue &catalogue, const Frameworks &frameworks)
{
    return Search(serving, catalogue, frameworks).run();
}

} // namespace slipway
