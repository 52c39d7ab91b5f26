// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_figures.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

namespace {

using Cancelled = std::function<bool()>;

constexpr std::int64_t kMostBatch = 256, kLongReserve = 8192;
constexpr int kLoads = 11; // from a tenth of the most that can be answered to a tenth above it

bool isCancelled(const Cancelled &cancelled) { return cancelled && cancelled(); }

std::vector<std::int64_t> doublings(std::int64_t from, std::int64_t to)
{
    std::vector<std::int64_t> values;
    for (std::int64_t value = from; value <= to; value *= 2)
        values.push_back(value);
    return values;
}

// Of a sequence that a chart shows.
std::int64_t longestOf(const ModelSpec &model)
{
    constexpr std::int64_t kLongest = 131'072;
    const std::int64_t most = model.longestSequence();
    return most > 0 ? std::min(kLongest, most) : kLongest;
}

// Tokens per second over the batch.
ServeLine throughputLine(std::string name, const Serving &s, const Cancelled &cancelled)
{
    ServeLine line{.name = std::move(name)};
    const std::int64_t most = maxSequences(s, s.block == 0);
    for (const std::int64_t batch : doublings(1, std::min(kMostBatch, s.software.sequences))) {
        if (isCancelled(cancelled))
            break;
        const bool fits = batch <= most;
        line.dots.push_back(
            {.name = std::to_string(batch), .x = double(batch), .y = fits ? throughput(s, batch) : 0, .fits = fits});
    }
    return line;
}

ServeFigure overBatch(ServeChart chart, std::string title, std::string question, std::vector<ServeLine> lines)
{
    return {.chart = chart,
        .title = std::move(title),
        .question = std::move(question),
        .placeLabel = "Batch",
        .xLabel = "Batch (sequences)",
        .panels = {{.yLabel = "Tokens/s", .lines = std::move(lines)}}};
}

// 0: multi-head attention; 1: grouped-query or multi-query; 2: experts.
std::size_t kindOf(const ModelSpec &model)
{
    return model.experts.count > 0 ? 2 : model.attention.kvHeads < model.attention.heads ? 1 : 0;
}

ServeFigure modelsFigure(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks, const Cancelled &cancelled)
{
    ServePanel panel{.yLabel = "Tokens/s",
        .lines = {
            {.name = "Multi-head attention"}, {.name = "Grouped-query attention"}, {.name = "Mixture of experts"}}};
    for (const CatalogueModel &model : catalogue.models) {
        if (isCancelled(cancelled))
            break;
        ServeConfig own = config;
        own.run.model = {.name = model.spec.name};
        const Result<Serving> s = resolveServing(own, catalogue, frameworks);
        if (!s) // too few positions, or heads that do not divide
            continue;
        const ServingMemory memory = memoryOf(*s, config.batch);
        const bool fits = memory.fits() && memory.cache <= memory.pool;
        panel.lines[kindOf(s->model)].dots.push_back({.name = model.spec.name,
            .x = double(memory.peak) / double(kGiB),
            .y = fits ? throughput(*s, config.batch) : 0,
            .fits = fits});
    }
    for (ServeLine &line : panel.lines)
        std::stable_sort(
            line.dots.begin(), line.dots.end(), [](const ServeDot &a, const ServeDot &b) { return a.x < b.x; });
    std::erase_if(panel.lines, [](const ServeLine &line) { return line.dots.empty(); });
    return {.chart = ServeChart::Models,
        .title = "Throughput against memory",
        .question = fmt::format(
            "How fast is each model of the catalogue with a batch of {}, and what does it need?", config.batch),
        .placeLabel = "Model",
        .xLabel = "Memory of one GPU (GiB, log scale)",
        .joined = false,
        .panels = {std::move(panel)}};
}

ServeFigure headsFigure(const Serving &serving, const Cancelled &cancelled)
{
    const int heads = serving.model.attention.heads, own = serving.model.attention.kvHeads;
    std::vector<int> counts{heads, own, 8, 1};
    std::sort(counts.rbegin(), counts.rend());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    std::vector<ServeLine> lines;
    for (const int count : counts) {
        if (count > heads || heads % count != 0)
            continue;
        Serving s = serving;
        s.model.attention.kvHeads = count;
        const bool one = count == 1;
        const std::string title = count == own ? (one ? "1 key-value head (this model)"
                                                      : fmt::format("{} key-value heads (this model)", count))
                                               : (one ? "1 key-value head" : fmt::format("{} key-value heads", count));
        lines.push_back(throughputLine(title, s, cancelled));
    }
    return overBatch(ServeChart::Heads, "Grouped-query and multi-head attention",
        fmt::format("What do fewer key-value heads gain for {} query heads?", heads), std::move(lines));
}

// Three models of one shape: experts, a dense MLP as wide as those that a token passes, and one as wide as all.
ServeFigure expertsFigure(const Serving &serving, const Cancelled &cancelled)
{
    Serving experts = serving, active = serving, whole = serving;
    ExpertsModule &routed = experts.model.experts;
    if (routed.count == 0) { // 8 experts of which 2 are as wide as the dense MLP
        routed.count = 8;
        routed.perToken = 2;
        experts.model.mlp.width = std::max(1, serving.model.mlp.width / 2);
    }
    const int shared = routed.sharedWidth;
    active.model.mlp.width = routed.perToken * experts.model.mlp.width + shared;
    whole.model.mlp.width = routed.count * experts.model.mlp.width + shared;
    active.model.experts = whole.model.experts = {};
    return overBatch(ServeChart::Experts, "Experts against dense",
        "How much memory and speed does it cost to store all experts if each token uses only a few?",
        {throughputLine(fmt::format("{} experts, {} per token", routed.count, routed.perToken), experts, cancelled),
            throughputLine("Dense, as wide as the experts of one token", active, cancelled),
            throughputLine("Dense, as wide as all experts", whole, cancelled)});
}

ServeFigure attentionFigure(const Serving &serving, const Cancelled &cancelled)
{
    const std::int64_t reserved = std::max(
        serving.config.length(), serving.config.maxLength.value_or(std::min(kLongReserve, longestOf(serving.model))));
    std::vector<ServeLine> lines;
    for (const bool fused : {true, false}) {
        for (const bool paged : {true, false}) {
            Serving s = serving;
            s.layout.fusedAttention = fused;
            s.config.contiguous = !paged;
            s.config.maxLength = reserved;
            s.block = !paged ? 0 : serving.block > 0 ? serving.block : serving.config.block.value_or(16);
            const std::string title = paged ? (fused ? fmt::format("Fused, blocks of {}", s.block)
                                                     : fmt::format("Not fused, blocks of {}", s.block))
                                            : (fused ? fmt::format("Fused, {} tokens reserved", reserved)
                                                     : fmt::format("Not fused, {} tokens reserved", reserved));
            lines.push_back(throughputLine(title, s, cancelled));
        }
    }
    return overBatch(ServeChart::Attention, "Fused and paged attention",
        "How much do fused kernels gain, and how many more sequences fit if the cache is paged?", std::move(lines));
}

ServeFigure cacheFigure(const Serving &serving)
{
    const std::int64_t longest = longestOf(serving.model);
    const auto gib = [](Bytes bytes) { return double(bytes) / double(kGiB); };
    ServePanel panel{.yLabel = "GiB on each GPU", .unit = ServeUnit::Memory};
    ServeLine room{.name = "Left for the cache"};
    for (const std::int64_t batch : {1, 4, 16, 64, 256}) {
        ServeLine line{.name = fmt::format("Batch {}", batch)};
        for (const std::int64_t length : doublings(std::min<std::int64_t>(512, longest), longest)) {
            Serving s = serving;
            s.config.maxLength = length;
            s.config.prompt = std::max<std::int64_t>(1, length - s.config.generate);
            s.config.generate = length - s.config.prompt + (length == 1 ? 1 : 0);
            const Bytes cache = batch * sequenceCache(s, length), pool = std::max<Bytes>(0, memoryOf(s, batch).pool);
            const bool fits = cache <= pool;
            line.dots.push_back(
                {.name = std::to_string(length), .x = double(length), .y = fits ? gib(cache) : 0, .fits = fits});
            if (batch == 1)
                room.dots.push_back({.name = std::to_string(length), .x = double(length), .y = gib(pool)});
        }
        panel.lines.push_back(std::move(line));
    }
    panel.lines.push_back(std::move(room));
    return {.chart = ServeChart::Cache,
        .title = "Memory of the KV cache",
        .question = "How does the memory of keys and values grow with the sequence length?",
        .placeLabel = "Length",
        .xLabel = "Prompt and answer (tokens)",
        .panels = {std::move(panel)}};
}

ServeFigure loadFigure(const Serving &s, const Cancelled &cancelled)
{
    struct Time {
        const char *title;
        Percentiles LoadResult::*times;
    };
    constexpr std::array kTimes{Time{"Time to first token", &LoadResult::ttft},
        Time{"Time per output token", &LoadResult::tpot}, Time{"Request latency", &LoadResult::latency}};
    ServeFigure figure{.chart = ServeChart::Load,
        .title = "Latency against load",
        .question = "How does latency grow with the load, up to more requests than the server can answer?",
        .placeLabel = "Requests/s",
        .xLabel = "Requests/s",
        .doublings = false};
    for (const Time &time : kTimes)
        figure.panels.push_back({.title = time.title,
            .yLabel = "Seconds",
            .unit = ServeUnit::Time,
            .lines = {{.name = "P50"}, {.name = "P99"}}});
    const std::int64_t most = maxSequences(s, s.config.contiguous);
    const double mostTokens = most > 0 ? speedOf(s, most).tokensPerSecondMost : 0;
    for (int i = 1; i <= kLoads && mostTokens > 0 && !isCancelled(cancelled); ++i) {
        const double rate = mostTokens / double(s.config.generate) * i / (kLoads - 1);
        const LoadResult result = loadOf(s, rate, mostTokens).result;
        for (std::size_t panel = 0; panel < kTimes.size(); ++panel) {
            const Percentiles &times = result.*kTimes[panel].times;
            std::vector<ServeLine> &lines = figure.panels[panel].lines;
            lines[0].dots.push_back({.name = fmt::format("{:.3g}", rate), .x = rate, .y = times.p50});
            lines[1].dots.push_back({.name = fmt::format("{:.3g}", rate), .x = rate, .y = times.p99});
        }
    }
    return figure;
}

} // namespace

Result<ServeFigure> serveFigure(ServeChart chart, const ServeConfig &config, const Catalogue &catalogue,
    const Frameworks &frameworks, const Cancelled &cancelled)
{
    const Result<Serving> s = resolveServing(config, catalogue, frameworks);
    if (!s)
        return s.error();
    switch (chart) {
    case ServeChart::Models:
        return modelsFigure(config, catalogue, frameworks, cancelled);
    case ServeChart::Heads:
        return headsFigure(*s, cancelled);
    case ServeChart::Experts:
        return expertsFigure(*s, cancelled);
    case ServeChart::Attention:
        return attentionFigure(*s, cancelled);
    case ServeChart::Cache:
        return cacheFigure(*s);
    case ServeChart::Load:
        break;
    }
    return loadFigure(*s, cancelled);
}

std::string formatServeUnit(double value, ServeUnit unit)
{
    switch (unit) {
    case ServeUnit::Memory:
        return formatBytes(static_cast<Bytes>(value * double(kGiB)));
    case ServeUnit::Time:
        return formatSeconds(value);
    case ServeUnit::Speed:
        break;
    }
    return formatCount(value);
}

} // namespace slipway
