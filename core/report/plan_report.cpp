// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/text.h"
#include "config/choice_names.h"
#include "config/resolve_model.h"
#include "predict/predict.h"
#include "predict/role_title.h"
#include "report/report.h"
#include "report/report_tables.h"
#include "report/textbook_rows.h"

namespace slipway {

namespace {

// How long the training takes and what it costs, as far as it is known.
std::string trainingText(const Prediction &prediction)
{
    const CostPrediction &cost = prediction.cost;
    std::string text = fmt::format(", at {} tokens/s", formatCount(prediction.speed.tokensPerSecond));
    if (cost.hours > 0)
        text += fmt::format(
            "; {} tokens take {}", formatCount(static_cast<double>(cost.tokens)), formatSeconds(cost.hours * 3600));
    if (cost.hours > 0 && cost.usd && !cost.relative)
        text += " and cost " + formatUsd(*cost.usd);
    return text + ".";
}

std::string headline(const Prediction &prediction)
{
    const MemoryPrediction &memory = prediction.memory;
    const std::string room = fmt::format("{} of {}", formatBytes(memory.peak), formatBytes(memory.capacity));
    switch (memory.verdict) {
    case Verdict::Oom:
        return "Does not fit: the predicted peak is " + room + ".";
    case Verdict::Tight:
        return "Fits with little headroom: the predicted peak is " + room + trainingText(prediction);
    case Verdict::Fits:
        break;
    }
    return "Fits: the predicted peak is " + room + trainingText(prediction);
}

// "41,618"
std::string grouped(std::int64_t count)
{
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

ReportSection memorySection(const Prediction &prediction, const std::optional<MemoryOverStep> &over)
{
    const MemoryPrediction &memory = prediction.memory;
    ReportSection section{.title = "Memory"};
    const std::string layer = memory.peakAt.layer < 0 ? "" : fmt::format(" of layer {}", memory.peakAt.layer);
    section.paragraphs.push_back(fmt::format("Memory peaks in the {} phase, at {}{}. The predicted peak of the device "
                                             "memory is {} to {} (P10 to P90). {} {}",
        enumName(memory.peakAt.phase), memory.peakAt.op, layer, formatBytes(memory.peakP10),
        formatBytes(memory.peakP90),
        memory.headroom < 0 ? formatBytes(-memory.headroom) + " more memory is needed at the peak."
                            : formatBytes(memory.headroom) + " are free at the peak.",
        memory.maxMicroBatch > 0
            ? fmt::format("The largest micro-batch that fits is {}.", grouped(memory.maxMicroBatch))
            : "No micro-batch fits."));
    ReportTable table{.title = "At the peak", .columns = {"Part", "Bytes", "Share"}, .numeric = {false, true, true}};
    const ByteUnit unit = byteUnit(static_cast<double>(std::max(memory.capacity, memory.peak)));
    ReportFigure bar{.title = "Memory at the peak",
        .yLabel = std::string(unit.name),
        .kind = FigureKind::StackedBars,
        .categories = {prediction.gpu.name},
        .limit = static_cast<double>(memory.capacity) / unit.bytes,
        .limitLabel = "capacity"};
    const auto add = [&](const std::string &part, Bytes bytes, bool drawn) {
        const double share = memory.peak > 0 ? static_cast<double>(bytes) / static_cast<double>(memory.peak) : 0;
        table.rows.push_back({part, formatBytes(bytes), formatPercent(share)});
        if (drawn)
            bar.series.push_back({.name = part, .x = {0}, .y = {static_cast<double>(bytes) / unit.bytes}});
    };
    for (std::size_t role = 0; role < memory.atPeak.size(); ++role)
        add(titleCase(roleTitle(role)), memory.atPeak[role], true);
    add("Reserved but not allocated", memory.peakReserved - memory.peakAllocated, true);
    add("Outside the allocator", memory.outsideAllocator, true);
    add("Total", memory.peak, false);
    section.tables.push_back(std::move(table));
    section.figures.push_back(std::move(bar));
    if (over && !over->points.empty()) {
        const ByteUnit ofStep = byteUnit(static_cast<double>(memory.peak)); // without the capacity on its axis
        ReportFigure areas{.title = "Memory over one step",
            .xLabel = over->shownMicroBatches < over->microBatches
                          ? fmt::format("operation; {} of {} micro-batches are shown, the others are equal to these",
                                over->shownMicroBatches, over->microBatches)
                          : "operation",
            .yLabel = std::string(ofStep.name),
            .kind = FigureKind::StackedAreas};
        for (std::size_t role = 0; role < memory.atPeak.size(); ++role) {
            ReportSeries series{.name = titleCase(roleTitle(role))};
            for (std::size_t i = 0; i < over->points.size(); ++i) {
                series.x.push_back(static_cast<double>(i));
                series.y.push_back(static_cast<double>(over->points[i].bytes[role]) / ofStep.bytes);
            }
            areas.series.push_back(std::move(series));
        }
        section.figures.push_back(std::move(areas));
    }
    return section;
}

ReportSection textbookSection(const Prediction &prediction)
{
    ReportSection section{.title = "Textbook formulas"};
    section.paragraphs.push_back(
        fmt::format("N = hV + L(12h² + 13h) + 2h gives {} parameters, {}, sharded by the parallelism strategy. With "
                    "activations of L(34sbh + 5as²b), the total is {}. The simulated peak is {}.",
            formatCount(prediction.memory.textbook.parameters),
            prediction.config.trainsAdapters() ? "frozen as they are stored, and adapters with 16 bytes each"
                                               : "with 16 bytes each",
            formatBytes(prediction.memory.textbook.peak), formatBytes(prediction.memory.peak)));
    ReportTable table{
        .columns = {"Part", "Formula", "Simulated", "Difference", "Why"}, .numeric = {false, true, true, true, false}};
    for (const TextbookRow &row : textbookRows(prediction))
        table.rows.push_back({row.part, formatBytes(row.formula), formatBytes(row.simulated),
            (row.difference() < 0 ? "-" : "+") + formatBytes(std::abs(row.difference())), row.why});
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection speedSection(const Prediction &prediction)
{
    const SpeedPrediction &speed = prediction.speed;
    ReportSection section{.title = "Speed"};
    section.tables.push_back({.columns = {"Figure", "Value"},
        .rows = {{"Step", formatSeconds(speed.step)},
            {"Step, P10 to P90", formatRange(formatSeconds(speed.stepP10), formatSeconds(speed.stepP90))},
            {"Tokens/s", formatCount(speed.tokensPerSecond)},
            {"Tokens/s per GPU", formatCount(speed.tokensPerSecondPerGpu)}, {"MFU", formatPercent(speed.mfu)},
            {"MFU, causal attention", formatPercent(speed.mfuCausal)}, {"HFU", formatPercent(speed.hfu)},
            {"Exposed communication", formatSeconds(speed.communicationExposed)},
            {"Recomputation", formatSeconds(speed.recompute)},
            {"Launch-bound", speed.launchBound ? "yes"
                             : speed.cudaGraph ? "no (CUDA graph)"
                                               : "no"}},
        .numeric = {false, true}});
    ReportFigure bars{.title = "Breakdown of the step time", .yLabel = "ms", .kind = FigureKind::Bars};
    ReportSeries series{.name = "time"};
    for (std::size_t part = 0; part < speed.seconds.size(); ++part) {
        bars.categories.push_back(
            static_cast<CostClass>(part) == CostClass::Gemm ? "GEMM" : titleCase(EnumNames<CostClass>::names[part]));
        series.x.push_back(static_cast<double>(part));
        series.y.push_back(speed.seconds[part] * 1e3);
    }
    bars.series.push_back(std::move(series));
    section.figures.push_back(std::move(bars));
    return section;
}

ReportSection costSection(const Prediction &prediction)
{
    const CostPrediction &cost = prediction.cost;
    // Ratios are no dollars: the unit is an hour of the book's cheapest GPU.
    const auto usd = [&cost](std::optional<Usd> value) {
        return formatInUnit(value, cost.relative ? "price units" : "USD");
    };
    ReportSection section{.title = "Cost"};
    ReportTable table{.columns = {"Figure", "Value"},
        .rows = {{"Price book", cost.priceBook + (cost.priceDate.empty() ? "" : ", " + cost.priceDate)},
            {"All GPUs, per hour", usd(cost.usdPerHour)}, {"Per billion tokens", usd(cost.usdPerBillionTokens)},
            {cost.relative ? "Tokens per price unit" : "Tokens per dollar", formatInUnit(cost.tokensPerUsd, "")},
            {"Tokens", formatCount(static_cast<double>(cost.tokens))}, {"Time", formatSeconds(cost.hours * 3600)},
            {"Total", usd(cost.usd)}, {"Expected loss", formatInUnit(cost.expectedLoss, "nats")}},
        .numeric = {false, true}};
    if (!cost.usdPerHour) { // such as that of a CPU
        section.paragraphs.emplace_back("The price book has no price of this GPU.");
        std::erase_if(table.rows, [](const std::vector<std::string> &row) { return row.back() == "unknown"; });
    }
    section.tables.push_back(std::move(table));
    for (const std::string &assumed : cost.assumed)
        section.paragraphs.push_back("Assumed: " + assumed + ".");
    return section;
}

ReportSection suggestionSection(const Prediction &prediction)
{
    ReportSection section{.title = "Suggestions"};
    ReportTable table{.columns = {"Change", "Why", "Peak", "Tokens/s", "Per billion tokens"},
        .numeric = {false, false, true, true, true}};
    for (const Suggestion &suggestion : prediction.suggestions) {
        std::string change;
        for (const auto &[key, value] : suggestion.change)
            change += (change.empty() ? "" : ", ") + key + ": " + value;
        table.rows.push_back(
            {change, suggestion.why, formatBytes(suggestion.peak), formatCount(suggestion.tokensPerSecond),
                formatInUnit(suggestion.usdPerBillionTokens, prediction.cost.relative ? "price units" : "USD")});
    }
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    if (std::string nothing = nothingFitsText(prediction); !nothing.empty())
        section.paragraphs.push_back(std::move(nothing));
    return section;
}

ReportSection originSection(const Prediction &prediction)
{
    ReportSection section{.title = "Origin of these figures"};
    section.paragraphs.push_back(fmt::format("Memory: {}. Speed: {}. Ranges are P10 to P90.",
        enumName(prediction.memoryOrigin), enumName(prediction.speedOrigin)));
    section.paragraphs.insert(section.paragraphs.end(), prediction.notes.begin(), prediction.notes.end());
    return section;
}

ReportSection offerSection(const std::vector<Offer> &offers)
{
    ReportSection section{.title = "Which GPU to rent", .newPage = true};
    section.paragraphs.push_back("The same training step on every GPU with a price, lowest cost of the token budget "
                                 "first. Speeds are predicted; prices are quotes with a date. Instances are rented as "
                                 "a whole. GPUs that are listed singly may not be connected as the plan assumes.");
    ReportTable table{
        .columns = {"GPU", "Verdict", "Peak", "Step", "Tokens/s", "Time", "Cheapest on demand", "Cheapest spot"},
        .numeric = {false, false, true, false, true, true, false, false}};
    for (const Offer &offer : offers) {
        if (!offer.skipped.empty()) {
            table.rows.push_back({offer.gpuName, "not planned: " + offer.skipped, "-", "-", "-", "-", "-", "-"});
            continue;
        }
        const RunConfig &c = offer.config;
        const std::string step =
            fmt::format("{} x {}{}", c.microBatch, c.gradAccum, c.recompute == Recompute::Full ? ", recomputed" : "");
        table.rows.push_back({offer.gpuName, std::string(enumName(offer.verdict)), formatBytes(offer.peak), step,
            offer.runs() ? formatCount(offer.tokensPerSecond) : "-",
            offer.runs() ? formatSeconds(offer.hours * 3600) : "-", rentalCostText(offer, offer.cheapest, true),
            rentalCostText(offer, offer.spot, true)});
    }
    section.tables.push_back(std::move(table));
    return section;
}

} // namespace

Report planReport(
    const Prediction &prediction, const std::optional<MemoryOverStep> &memory, const std::vector<Offer> &offers)
{
    const Parallelism &parallel = prediction.config.parallel;
    const std::string size = isCustom(prediction.model) // its name ends with it
                                 ? std::string()
                                 : formatCount(static_cast<double>(parameterCount(prediction.model))) + " parameters, ";
    Report report{
        .title = fmt::format("Plan: {} on {} x {}", prediction.model.name, parallel.gpus, prediction.gpu.name),
        .subtitle = fmt::format("{}{}micro-batch {} of {} tokens, {}", size, strategyInList(parallel),
            prediction.config.microBatch, prediction.config.seqLen,
            choiceName("precision", enumName(prediction.config.precisionOrMixed()))),
        .headline = headline(prediction)};
    report.sections = {memorySection(prediction, memory), textbookSection(prediction), speedSection(prediction),
        costSection(prediction)};
    if (!prediction.suggestions.empty() || prediction.leastFound)
        report.sections.push_back(suggestionSection(prediction));
    // There is nothing to rent for a plan on the CPU of this machine.
    if (prediction.config.gpu != "cpu" && !offers.empty())
        report.sections.push_back(offerSection(offers));
    report.sections.push_back(originSection(prediction));
    report.sections.push_back(configurationSection(prediction.config, false));
    report.sections.push_back(settingsAppendix(prediction.config, false));
    return report;
}

} // namespace slipway
