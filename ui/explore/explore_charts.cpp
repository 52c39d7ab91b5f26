// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/explore_charts.h"

#include <algorithm>

#include "base/text.h"
#include "config/settings.h"
#include "ui/explore/sweep_model.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString lineName(const SweepFigure &figure, const std::string &value, const Catalogue &catalogue)
{
    const std::string key = figure.id == "attention" ? "attention" : figure.id == "gpu" ? "gpu" : "parallel";
    return namedValue(key, value, &catalogue);
}

QColor lineColor(std::size_t n, bool dark)
{
    static constexpr std::array order{
        Role::Parameter, Role::Activation, Role::Communication, Role::OptimizerState, Role::Logits, Role::Workspace};
    return roleColor(order[n % order.size()], dark);
}

double valueOf(const SweepPoint &point, HeatFigure figure)
{
    switch (figure) {
    case HeatFigure::TokensPerUsd:
        return point.objective();
    case HeatFigure::SpeedPerGpu:
        return point.tokensPerSecondPerGpu;
    case HeatFigure::Mfu:
        return point.mfu;
    case HeatFigure::Peak:
        return static_cast<double>(point.peak);
    }
    return 0;
}

QString valueText(double value, HeatFigure figure)
{
    switch (figure) {
    case HeatFigure::Mfu:
        return localNumber(100 * value, 1) + QStringLiteral(" %");
    case HeatFigure::Peak:
        return localText(formatBytes(static_cast<Bytes>(value)));
    default:
        return localText(formatCount(value));
    }
}

} // namespace

QStringList pointLines(const Sweep &sweep, std::size_t index, const Catalogue &catalogue)
{
    const SweepPoint &point = sweep.points[index];
    QStringList lines;
    QString title;
    for (std::size_t i = 0; i < sweep.grid.axes.size(); ++i) {
        const GridAxis &axis = sweep.grid.axes[i];
        if (axis.values.size() < 2)
            continue;
        const QString value = namedValue(axis.key, sweep.grid.valueAt(point.index, i), &catalogue);
        if (axis.key == "model" || axis.key == "gpu")
            title += (title.isEmpty() ? QString() : QStringLiteral(" · ")) + value;
        else
            lines << settingName(axis.key) + u'\t' + value;
    }
    lines.prepend(title.isEmpty() ? tr("Point") : title);
    if (!point.skipped.empty())
        return lines << tr("Cannot be planned");
    lines << tr("Verdict") + u'\t' +
                 (point.verdict == Verdict::Oom        ? tr("Out of memory")
                     : point.verdict == Verdict::Tight ? tr("Tight")
                                                       : tr("Fits"));
    lines << tr("Peak memory") + u'\t' + localText(formatBytes(point.peak));
    if (point.verdict == Verdict::Oom)
        return lines;
    lines << tr("Tokens/s") + u'\t' + localText(formatCount(point.tokensPerSecond))
          << tr("MFU") + u'\t' + localNumber(100 * point.mfu, 1) + QStringLiteral(" %");
    if (point.tokensPerUsd)
        lines << tokensPerPriceName(hasRelativePrices(sweep, catalogue)) + u'\t' +
                     localText(formatCount(*point.tokensPerUsd));
    return lines;
}

HeatData heatData(const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points,
    const HeatChoice &choice, const Catalogue &catalogue)
{
    const GridAxis &rows = sweep->grid.axes[choice.rows], &columns = sweep->grid.axes[choice.columns];
    HeatData data{.rowTitle = settingName(rows.key),
        .columnTitle = settingName(columns.key),
        .missingText = tr("OOM"),
        .lowIsGood = choice.figure == HeatFigure::Peak};
    for (const std::string &value : rows.values)
        data.rows.push_back(namedValue(rows.key, value, &catalogue));
    for (const std::string &value : columns.values)
        data.columns.push_back(namedValue(columns.key, value, &catalogue));
    data.cells.resize(rows.values.size() * columns.values.size());
    for (const std::size_t i : points) {
        const SweepPoint &point = sweep->points[i];
        if (!point.skipped.empty())
            continue;
        const std::vector<std::size_t> digits = sweep->grid.digitsAt(point.index);
        HeatCell &cell = data.cells[digits[choice.rows] * columns.values.size() + digits[choice.columns]];
        const double value = valueOf(point, choice.figure);
        const bool better =
            cell.kind != HeatCell::Kind::Value || (data.lowIsGood ? value < cell.value : value > cell.value);
        if (point.runs() && better)
            cell = {.kind = HeatCell::Kind::Value, .value = value, .id = i, .text = valueText(value, choice.figure)};
        else if (cell.kind == HeatCell::Kind::Nothing)
            cell = {.kind = HeatCell::Kind::Missing, .id = i};
    }
    data.describe = [sweep, &catalogue](std::size_t id) { return pointLines(*sweep, id, catalogue); };
    return data;
}

ScatterData paretoData(
    const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points, const Catalogue &catalogue)
{
    const bool priced = std::any_of(
        points.begin(), points.end(), [&](std::size_t i) { return sweep->points[i].usdPerBillionTokens.has_value(); });
    ScatterData data{
        .yTitle = priced ? tokensPerPriceName(hasRelativePrices(*sweep, catalogue)) : tr("Tokens/s per GPU"),
        .logX = true};
    ScatterSeries rest{.name = tr("Fits"),
        .light = themeColor(ThemeColor::Raw, false),
        .dark = themeColor(ThemeColor::Raw, true),
        .joined = false,
        .radius = 2.6,
        .dots = {}};
    ScatterSeries front{.name = tr("Pareto front"),
        .light = themeColor(ThemeColor::Accent, false),
        .dark = themeColor(ThemeColor::Accent, true),
        .joined = false,
        .radius = 4.2,
        .shape = kFrontShape,
        .dots = {}};
    const std::vector<std::size_t> members = frontOf(*sweep, points);
    for (const std::size_t i : points) {
        const SweepPoint &point = sweep->points[i];
        if (!point.runs())
            continue;
        const bool onFront = std::binary_search(members.begin(), members.end(), i);
        (onFront ? front : rest)
            .dots.push_back({.x = point.tokensPerSecond / 1000,
                .y = priced ? point.tokensPerUsd.value_or(0) : point.tokensPerSecondPerGpu,
                .id = i});
    }
    data.xTitle = tr("Tokens/s of all GPUs, in thousands (log scale)");
    data.series = {std::move(rest), std::move(front)};
    data.describe = [sweep, &catalogue](std::size_t id) { return pointLines(*sweep, id, catalogue); };
    return data;
}

std::vector<ScatterData> figureData(
    const std::shared_ptr<const Sweep> &sweep, const SweepFigure &figure, const Catalogue &catalogue)
{
    std::vector<ScatterData> panels;
    for (const FigurePanel &panel : figure.panels) {
        ScatterData data{.title = panel.name.empty() ? qs(figure.title) : qs(panel.name),
            .xTitle = coreText(figure.xLabel),
            .yTitle = coreText(figure.yLabel),
            .logX = true};
        for (std::size_t l = 0; l < panel.lines.size(); ++l) {
            // Draws larger dots below smaller ones, so that overlapping lines stay visible.
            const double radius = 3.5 + 0.9 * static_cast<double>(panel.lines.size() - 1 - l);
            ScatterSeries series{.name = lineName(figure, panel.lines[l].name, catalogue),
                .light = lineColor(l, false),
                .dark = lineColor(l, true),
                .radius = radius,
                .shape = l,
                .dots = {}};
            for (const FigureDot &dot : panel.lines[l].dots)
                series.dots.push_back({.x = dot.x, .y = dot.y, .id = dot.point, .missing = dot.oom});
            data.series.push_back(std::move(series));
        }
        data.describe = [sweep, &catalogue](std::size_t id) { return pointLines(*sweep, id, catalogue); };
        panels.push_back(std::move(data));
    }
    return panels;
}

std::vector<LegendEntry> figureLegend(const SweepFigure &figure, const Catalogue &catalogue)
{
    std::vector<LegendEntry> entries;
    if (figure.panels.empty())
        return entries;
    for (std::size_t l = 0; l < figure.panels.front().lines.size(); ++l)
        entries.push_back({lineName(figure, figure.panels.front().lines[l].name, catalogue), {}, {},
            lineColor(l, false), lineColor(l, true), LegendMark::Line, l});
    entries.push_back({tr("Does not fit"), {}, {}, themeColor(ThemeColor::Muted, false),
        themeColor(ThemeColor::Muted, true), LegendMark::Cross});
    return entries;
}

std::vector<LegendEntry> roleLegend()
{
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < EnumNames<Role>::names.size(); ++i)
        entries.push_back({roleName(static_cast<Role>(i)), {}, {}, roleColor(static_cast<Role>(i), false),
            roleColor(static_cast<Role>(i), true)});
    return entries;
}

std::vector<ColumnData> sequenceData(const SequenceMemory &memory)
{
    std::vector<ColumnData> panels;
    double highest = 0;
    std::string model;
    std::size_t first = 0;
    const auto share = [&] {
        for (; first < panels.size(); ++first)
            panels[first].high = highest;
        highest = 0;
    };
    for (const SequenceMemory::Panel &panel : memory.panels) {
        if (panel.model != model)
            share();
        model = panel.model;
        ColumnData data{.title = coreText(panel.model) + QStringLiteral(" · ") + tr("recomputation:") + u' ' +
                                 inSentence(valueName("recompute", qs(enumName(panel.recompute)))),
            .xTitle = tr("Sequence length (tokens)"),
            .unit = QStringLiteral(" GiB"),
            .limit = static_cast<double>(memory.capacity) / kGiB};
        for (std::size_t role = 0; role < EnumNames<Role>::names.size(); ++role) {
            const auto of = static_cast<Role>(role);
            ColumnLayer layer{roleName(of), roleColor(of, false), roleColor(of, true), {}};
            for (const SequenceMemory::Bar &bar : panel.bars)
                layer.values.push_back(static_cast<double>(bar.parts[role]) / kGiB);
            data.layers.push_back(std::move(layer));
        }
        for (const SequenceMemory::Bar &bar : panel.bars) {
            data.columns.push_back(QString::number(bar.seqLen / 1024) + u'k');
            data.notes.push_back(!bar.skipped.empty()          ? tr("n/a")
                                 : bar.verdict == Verdict::Oom ? tr("OOM")
                                                               : QString());
            highest = std::max(highest, static_cast<double>(bar.peak) / kGiB);
        }
        data.text = [](double gib) {
            return localText(formatBytes(static_cast<Bytes>(gib * static_cast<double>(kGiB))));
        };
        panels.push_back(std::move(data));
    }
    share();
    return panels;
}

} // namespace slipway::ui
