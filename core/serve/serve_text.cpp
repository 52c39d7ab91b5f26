// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "config/resolve_model.h"
#include "serve/serve_prediction.h"

namespace slipway {

namespace {

constexpr int kBarWidth = 24;
constexpr std::size_t kShownGpus = 5;

std::string bar(double fraction)
{
    std::string text;
    for (long i = 0; i < std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth); ++i)
        text += "\u2588";
    return text;
}

std::string headline(const ServePrediction &p)
{
    const Serving &s = p.serving;
    const ServeConfig &c = s.config;
    const std::string size = isCustom(s.model) // its name ends with it
                                 ? std::string()
                                 : fmt::format(" ({} parameters)", formatCount(double(parameterCount(s.model))));
    return fmt::format("{}{} on {} x {}, {}{}\n", s.model.name, size, s.ranks(), s.gpu.name, s.software.title,
               s.software.version.empty() ? "" : " " + s.software.version) +
           fmt::format("weights {}, KV cache {} {}, prompts of {} tokens, answers of {} tokens, batch {}\n",
               enumName(c.weights), enumName(c.kv),
               s.block > 0 ? fmt::format("in blocks of {}", s.block) : std::string("contiguous"), c.prompt, c.generate,
               c.batch);
}

std::string memoryText(const ServePrediction &p)
{
    const ServingMemory &m = p.memory;
    std::string text = fmt::format("\nMemory   {}: {} of {} usable{} per GPU\n", enumName(p.verdict),
        formatBytes(m.peak), formatBytes(m.usable),
        m.usable < p.serving.capacity ? fmt::format(" (of {})", formatBytes(p.serving.capacity)) : std::string());
    const auto row = [&](std::string_view name, Bytes bytes, const std::string &note = {}) {
        text += fmt::format("         {:<18} {:>10}  {}{}\n", name, formatBytes(bytes),
            bar(double(bytes) / double(std::max({m.peak, m.usable, Bytes{1}}))), note);
    };
    row("weights", m.weights);
    row("KV cache", m.cache);
    row("activations", m.activations);
    row("outside allocator", m.outside);
    text += fmt::format("         {} per token; {:.1f} % of the cache is unused on average ({})\n",
        formatBytes(cachePerToken(p.serving)), 100 * m.wasteFraction, formatBytes(m.wasteMean));
    text += fmt::format("         {} left for the cache: {} sequences of {} tokens fit",
        formatBytes(std::max<Bytes>(0, m.pool)), p.maxSequences, p.serving.config.length());
    if (!p.serving.config.contiguous)
        text += fmt::format(", {} if each reserves {} tokens in one piece", p.maxSequencesContiguous,
            p.serving.config.reservedLength());
    return text + "\n";
}

std::string speedText(const ServePrediction &p)
{
    const ServeSpeed &s = p.speed;
    std::string text =
        fmt::format("\nSpeed    time to first token {}, time per output token {} with batch {} ({} alone)\n",
            formatSeconds(s.ttft), formatSeconds(s.tpot), p.serving.config.batch, formatSeconds(s.tpotAlone));
    text += fmt::format("         {} tokens/s with batch {}, {} alone", formatCount(s.tokensPerSecond),
        p.serving.config.batch, formatCount(s.tokensPerSecondAlone));
    if (s.bestBatch > 0)
        text += fmt::format(", {} at most with batch {}", formatCount(s.tokensPerSecondMost), s.bestBatch);
    text += '\n';
    text += s.computeBoundBatch > 0
                ? fmt::format("         memory bandwidth limits the GEMMs up to batch {}\n", s.computeBoundBatch - 1)
                : std::string("         memory bandwidth limits the GEMMs at every batch\n");
    return text;
}

std::string loadText(const ServeLoad &l)
{
    const LoadResult &r = l.result;
    std::string text = fmt::format("\nLoad     {:.4g} requests/s{}: {:.1f} sequences at once on average, {} tokens/s\n",
        l.requestsPerSecond,
        l.saturated ? fmt::format(" exceed the capacity of {:.4g}: requests queue up", l.mostRequestsPerSecond)
                    : fmt::format(" of {:.4g} at most", l.mostRequestsPerSecond),
        r.meanBatch, formatCount(r.tokensPerSecond));
    const auto row = [&](const char *name, const Percentiles &times) {
        text +=
            fmt::format("         {:<22} P50 {}, P99 {}\n", name, formatSeconds(times.p50), formatSeconds(times.p99));
    };
    row("time to first token", r.ttft);
    row("time per output token", r.tpot);
    row("request latency", r.latency);
    if (r.preemptions > 0)
        text += fmt::format("         {} sequences were preempted and recomputed\n", r.preemptions);
    return text;
}

// Instances with more GPUs than the server uses are rented as a whole.
std::string rentedText(int rented, int used)
{
    return rented > used ? fmt::format(" for {} rented GPUs", rented) : std::string();
}

std::string priceText(const ServePrediction &p)
{
    if (p.prices.empty())
        return "\nCost     no price book has a price for this device\n";
    std::string text;
    for (const ServePrice &price : p.prices)
        text += fmt::format("{}{:<16} {:>9}/h{}{}{}{}\n", text.empty() ? "\nCost     " : "         ", price.price.book,
            formatUsd(price.usdPerHour), rentedText(price.rented, p.serving.ranks()),
            price.atBatch ? fmt::format(", {} per million tokens with batch {}", formatUsd(*price.atBatch),
                                p.serving.config.batch)
                          : std::string(),
            price.atBest ? fmt::format(", {} with batch {}", formatUsd(*price.atBest), p.speed.bestBatch)
                         : std::string(),
            price.price.spot ? " (spot)" : "");
    return text;
}

std::string gpuChoicesText(const ServePrediction &p)
{
    if (!p.serving.config.ttft && !p.serving.config.tpot)
        return {};
    if (p.gpuChoices.empty())
        return "\nGPUs     no GPU with a price meets these targets\n";
    std::string text;
    for (std::size_t i = 0; i < std::min(kShownGpus, p.gpuChoices.size()); ++i) {
        const GpuChoice &choice = p.gpuChoices[i];
        text += fmt::format("{}{} x {}: {} per million tokens at {}/h{}, batch {}, first token {}, per token {}\n",
            i == 0 ? "\nGPUs     " : "         ", choice.tp, choice.name, formatUsd(choice.usdPerMillionTokens),
            formatUsd(choice.usdPerHour), rentedText(choice.rented, choice.tp), choice.batch,
            formatSeconds(choice.ttft), formatSeconds(choice.tpot));
    }
    return text;
}

std::string gainText(const ServeSuggestion &s)
{
    switch (s.goal) {
    case ServeGoal::Latency:
        return "meets the target";
    case ServeGoal::Speed:
        return fmt::format("{:.0f} % faster", 100 * s.gain);
    case ServeGoal::Cost:
        return fmt::format("{:.0f} % cheaper", 100 * s.gain);
    case ServeGoal::Fit:
        break;
    }
    return "fits";
}

std::string suggestionText(const ServeSuggestion &s)
{
    std::string changes;
    for (const auto &[key, value] : s.change)
        changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", key, value);
    return fmt::format(
        "         {}: {}, {} tokens/s, {} per token{}, {} per GPU, up to {} sequences\n             {}\n", changes,
        gainText(s), formatCount(s.then.tokensPerSecond), formatSeconds(s.then.tpot),
        s.then.usdPerMillionTokens ? fmt::format(", {} per million tokens", formatUsd(*s.then.usdPerMillionTokens))
                                   : std::string(),
        formatBytes(s.then.peak), s.then.maxSequences, s.why);
}

} // namespace

std::string toText(const ServePrediction &p)
{
    std::string text = headline(p) + memoryText(p) + speedText(p);
    if (p.load)
        text += loadText(*p.load);
    text += priceText(p) + gpuChoicesText(p);
    if (!p.suggestions.empty())
        text += "\nTry      (each verified by its own plan)\n";
    for (const ServeSuggestion &suggestion : p.suggestions)
        text += suggestionText(suggestion);
    text += "\nOrigin   kernels and links as in slipway plan; docs/accuracy.md compares them with measured servers\n";
    for (const std::string &note : p.notes)
        text += "         " + note + "\n";
    return text;
}

} // namespace slipway
