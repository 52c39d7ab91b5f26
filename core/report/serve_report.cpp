// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/serve_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/report_tables.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

std::string headline(const ServePrediction &p)
{
    if (p.verdict == Verdict::Oom)
        return fmt::format("A batch of {} does not fit: {} of {} usable on each GPU.", p.serving.config.batch,
            formatBytes(p.memory.peak), formatBytes(p.memory.usable));
    return fmt::format("{} tokens/s with a batch of {}: time to first token {}, time per output token {}.",
        formatCount(p.speed.tokensPerSecond), p.serving.config.batch, formatSeconds(p.speed.ttft),
        formatSeconds(p.speed.tpot));
}

ReportSection memorySection(const ServePrediction &p)
{
    const ServingMemory &m = p.memory;
    ReportTable table{.columns = {"Memory of one GPU", "Size"}, .numeric = {false, true}};
    for (const auto &[name, bytes] :
        {std::pair{"Weights", m.weights}, std::pair{"KV cache", m.cache}, std::pair{"Activations", m.activations},
            std::pair{"Outside the allocator", m.outside}, std::pair{"Peak", m.peak}, std::pair{"Usable", m.usable}})
        table.rows.push_back({name, formatBytes(bytes)});
    ReportSection section{.title = "Memory"};
    section.paragraphs.push_back(fmt::format("{} sequences of {} tokens fit; {} fit if each reserves {} tokens in one "
                                             "piece. On average, {} of the cache is unused.",
        p.maxSequences, p.serving.config.length(), p.maxSequencesContiguous, p.serving.config.reservedLength(),
        formatPercent(m.wasteFraction)));
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection speedSection(const ServePrediction &p)
{
    const ServeSpeed &s = p.speed;
    ReportTable table{.columns = {"Speed", "Value"}, .numeric = {false, true}};
    const auto row = [&table](std::string name, std::string value) {
        table.rows.push_back({std::move(name), std::move(value)});
    };
    row("Time to first token", formatSeconds(s.ttft));
    row("Time per output token, alone", formatSeconds(s.tpotAlone));
    row(fmt::format("Time per output token, batch {}", p.serving.config.batch), formatSeconds(s.tpot));
    row("Tokens/s, alone", formatCount(s.tokensPerSecondAlone));
    row(fmt::format("Tokens/s, batch {}", p.serving.config.batch), formatCount(s.tokensPerSecond));
    if (s.bestBatch > 0)
        row(fmt::format("Tokens/s at most, batch {}", s.bestBatch), formatCount(s.tokensPerSecondMost));
    row("Batch from which arithmetic limits the GEMMs",
        s.computeBoundBatch > 0 ? std::to_string(s.computeBoundBatch) : "none");
    ReportSection section{.title = "Speed"};
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection loadSection(const ServeLoad &load)
{
    const LoadResult &r = load.result;
    ReportTable table{.columns = {"Time", "P50", "P99"}, .numeric = {false, true, true}};
    for (const auto &[name, times] : {std::pair{"Time to first token", r.ttft},
             std::pair{"Time per output token", r.tpot}, std::pair{"Request latency", r.latency}})
        table.rows.push_back({name, formatSeconds(times.p50), formatSeconds(times.p99)});
    ReportSection section{.title = fmt::format("Load of {:.4g} requests/s", load.requestsPerSecond)};
    section.paragraphs.push_back(
        fmt::format("{:.1f} sequences are in progress on average. The server can answer {:.4g} requests/s{}.",
            r.meanBatch, load.mostRequestsPerSecond, load.saturated ? ", so requests queue up" : ""));
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection costSection(const ServePrediction &p)
{
    ReportTable table{.columns = {"Price book", "Per hour", "Per million tokens", "Per million tokens, best batch"},
        .numeric = {false, true, true, true}};
    const auto perHour = [](Usd usd, int rented, int used) {
        return rented > used ? fmt::format("{} for {} rented GPUs", formatUsd(usd), rented) : formatUsd(usd);
    };
    const auto shown = [](const std::optional<Usd> &usd) { return usd ? formatUsd(*usd) : std::string(); };
    for (const ServePrice &price : p.prices)
        table.rows.push_back({price.price.book + (price.price.spot ? " (spot)" : ""),
            perHour(price.usdPerHour, price.rented, p.serving.ranks()), shown(price.atBatch), shown(price.atBest)});
    ReportSection section{.title = "Cost"};
    section.tables.push_back(std::move(table));
    if (p.gpuChoices.empty())
        return section;
    ReportTable gpus{.title = "GPUs that meet the latency targets",
        .columns = {"GPU", "Batch", "First token", "Per token", "Per hour", "Per million tokens"},
        .numeric = {false, true, true, true, true, true}};
    for (const GpuChoice &gpu : p.gpuChoices)
        gpus.rows.push_back({fmt::format("{} x {}", gpu.tp, gpu.name), std::to_string(gpu.batch),
            formatSeconds(gpu.ttft), formatSeconds(gpu.tpot), perHour(gpu.usdPerHour, gpu.rented, gpu.tp),
            formatUsd(gpu.usdPerMillionTokens)});
    section.tables.push_back(std::move(gpus));
    return section;
}

ReportFigure drawnFigure(const ServeFigure &figure, const ServePanel &panel)
{
    ReportFigure drawn{.title = panel.title.empty() ? figure.title : panel.title,
        .xLabel = figure.xLabel,
        .yLabel = panel.yLabel,
        .doublings = figure.doublings,
        .joined = figure.joined,
        .namesSeries = !panel.lines.empty() && !panel.lines.front().name.empty()};
    for (const ServeLine &line : panel.lines) {
        ReportSeries series{.name = line.name};
        for (const ServeDot &dot : line.dots) {
            if (!dot.fits) {
                series.missingX.push_back(dot.x);
                continue;
            }
            series.x.push_back(dot.x);
            series.y.push_back(dot.y);
        }
        drawn.series.push_back(std::move(series));
    }
    return drawn;
}

ReportSection figureSection(const ServeFigure &figure)
{
    ReportSection section{.title = figure.title,
        .figuresAcross = std::min<int>(2, static_cast<int>(figure.panels.size())),
        .newPage = true};
    for (const ServePanel &panel : figure.panels)
        section.figures.push_back(drawnFigure(figure, panel));
    const bool crossed = std::any_of(section.figures.begin(), section.figures.end(), [](const ReportFigure &drawn) {
        return std::any_of(drawn.series.begin(), drawn.series.end(),
            [](const ReportSeries &series) { return !series.missingX.empty(); });
    });
    section.paragraphs.push_back(
        figure.question + (crossed ? " A cross at the bottom means that it does not fit; the table says OOM." : ""));
    section.tables.push_back(serveTable(figure));
    return section;
}

std::string cellOf(const Json &value)
{
    if (value.is_null())
        return {};
    if (value.is_string())
        return csvText(value.get<std::string>());
    return value.is_number_float() ? formatExact(value.get<double>()) : value.dump();
}

} // namespace

ReportTable serveTable(const ServeFigure &figure)
{
    ReportTable table{.columns = {figure.placeLabel}, .numeric = {false}};
    // Points with names instead of numbers also have a column for their position along the axis.
    if (!figure.joined) {
        table.columns.push_back(figure.xLabel);
        table.numeric.push_back(true);
    }
    std::vector<std::pair<double, std::string>> places;
    for (const ServePanel &panel : figure.panels) {
        for (const ServeLine &line : panel.lines) {
            table.columns.push_back(panel.title.empty() ? line.name : panel.title + ", " + line.name);
            table.numeric.push_back(true);
            for (const ServeDot &dot : line.dots)
                places.emplace_back(dot.x, dot.name);
        }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto &[x, name] : places) {
        std::vector<std::string> row{name};
        if (!figure.joined)
            row.push_back(fmt::format("{:.1f}", x));
        for (const ServePanel &panel : figure.panels) {
            for (const ServeLine &line : panel.lines) {
                const auto dot = std::find_if(line.dots.begin(), line.dots.end(),
                    [&](const ServeDot &each) { return each.name == name && each.x == x; });
                row.push_back(dot == line.dots.end() ? "" : dot->fits ? formatServeUnit(dot->y, panel.unit) : "OOM");
            }
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Report serveReport(const ServePrediction &p, const std::vector<ServeFigure> &figures)
{
    const ServeConfig &c = p.serving.config;
    Report report{.title = "Serving " + p.serving.model.name,
        .subtitle = fmt::format("{} x {}, {}, weights {}, KV cache {}, prompts of {} tokens, answers of {} tokens",
            p.serving.ranks(), p.serving.gpu.name, p.serving.software.title, enumName(c.weights), enumName(c.kv),
            c.prompt, c.generate),
        .headline = headline(p)};
    report.sections = {memorySection(p), speedSection(p)};
    if (p.load)
        report.sections.push_back(loadSection(*p.load));
    if (!p.prices.empty())
        report.sections.push_back(costSection(p));
    report.sections.push_back({.title = "Origin", .paragraphs = p.notes});
    for (const ServeFigure &figure : figures)
        report.sections.push_back(figureSection(figure));
    return report;
}

std::string serveFiguresCsv(const std::vector<ServeFigure> &figures)
{
    std::string csv = csvRecord(std::vector<std::string>{"figure", "panel", "line", "place", "x", "y", "unit", "fits"});
    for (const ServeFigure &figure : figures) {
        for (const ServePanel &panel : figure.panels) {
            for (const ServeLine &line : panel.lines) {
                for (const ServeDot &dot : line.dots)
                    csv += csvRecord(std::vector<std::string>{std::string(enumName(figure.chart)), csvText(panel.title),
                        csvText(line.name), csvText(dot.name), formatExact(dot.x), dot.fits ? formatExact(dot.y) : "",
                        std::string(enumName(panel.unit)), dot.fits ? "1" : "0"});
            }
        }
    }
    return csv;
}

std::string servePlanCsv(const ServePrediction &prediction)
{
    const Json json = toJson(prediction);
    std::vector<std::string> names, values;
    for (const char *part : {"config", "memory", "speed", "latency", "cost"}) {
        for (const auto &[key, value] : json[part].items()) {
            if (value.is_structured())
                continue;
            names.push_back(std::string(part) == "latency" ? "load_" + key : key); // speed has keys of these names
            values.push_back(cellOf(value));
        }
    }
    return csvRecord(names) + csvRecord(values);
}

} // namespace slipway
