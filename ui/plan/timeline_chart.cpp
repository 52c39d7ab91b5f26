// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/timeline_chart.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString streamName(Stream stream)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "Compute"),
        QT_TRANSLATE_NOOP("slipway::ui", "Gather"), QT_TRANSLATE_NOOP("slipway::ui", "Reduce"),
        QT_TRANSLATE_NOOP("slipway::ui", "Copy"), QT_TRANSLATE_NOOP("slipway::ui", "Communication")};
    return tr(names[static_cast<std::size_t>(stream)]);
}

QStringList describe(const TimelineOp &op)
{
    QStringList lines{qs(op.name).replace(u'_', u' ')};
    if (op.layer >= 0)
        lines << tr("Layer") + u'\t' + QString::number(op.layer);
    lines << tr("Phase") + u'\t' + phaseName(op.phase) << tr("Kernel type") + u'\t' + costName(op.cost)
          << tr("Micro-batch") + u'\t' + QString::number(op.microBatch);
    if (op.repetitions > 1)
        lines << tr("Represents") + u'\t' + tr("%1 micro-batches").arg(op.repetitions);
    lines << tr("Start") + u'\t' + localText(formatSeconds(op.start))
          << tr("Duration") + u'\t' + localText(formatSeconds(op.end - op.start));
    lines << tr("Memory traffic") + u'\t' + localText(formatBytes(op.bytes));
    if (!op.algorithm.empty())
        lines << tr("Algorithm") + u'\t' + (op.algorithm == "nvls" ? tr("NVLink SHARP") : qs(op.algorithm));
    if (op.flops > 0)
        lines << tr("Work") + u'\t' + tr("%1 FLOP").arg(localText(formatCount(op.flops)))
              << tr("Rate") + u'\t' + localNumber(op.flops / (op.end - op.start) / 1e12, 1) +
                     QStringLiteral(" TFLOP/s");
    return lines;
}

// The kinds of lane items, in the order of PipelinePass.
std::vector<LaneKind> passKinds()
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "Bubble"),
        QT_TRANSLATE_NOOP("slipway::ui", "Forward"), QT_TRANSLATE_NOOP("slipway::ui", "Backward"),
        QT_TRANSLATE_NOOP("slipway::ui", "Weight gradients")};
    std::vector<LaneKind> kinds;
    for (std::size_t pass = 0; pass < names.size(); ++pass) {
        const bool bubble = pass == static_cast<std::size_t>(PipelinePass::None);
        const auto color = [&](bool dark) {
            return bubble ? themeColor(ThemeColor::Grid, dark) : seriesColor(pass - 1, dark);
        };
        kinds.push_back({tr(names[pass]), color(false), color(true)});
    }
    return kinds;
}

QStringList describe(const StageInterval &interval)
{
    QStringList lines{passKinds()[static_cast<std::size_t>(interval.pass)].name};
    if (interval.pass != PipelinePass::None)
        lines << tr("Micro-batch") + u'\t' + QString::number(interval.microBatch);
    lines << tr("Start") + u'\t' + localText(formatSeconds(interval.start))
          << tr("Duration") + u'\t' + localText(formatSeconds(interval.end - interval.start));
    return lines;
}

} // namespace

LaneData pipelineLanes(const std::shared_ptr<const Timeline> &timeline)
{
    LaneData data{.kinds = passKinds(), .end = timeline->stagesEnd};
    const auto first = std::make_shared<std::vector<std::size_t>>(); // index of the first interval of each lane
    for (std::size_t i = 0; i < timeline->stageIntervals.size(); ++i) {
        const StageInterval &interval = timeline->stageIntervals[i];
        if (static_cast<std::size_t>(interval.stage) == data.lanes.size()) {
            data.lanes.push_back({.name = tr("Stage %1").arg(interval.stage + 1), .items = {}});
            first->push_back(i);
        }
        const bool bubble = interval.pass == PipelinePass::None;
        data.lanes.back().items.push_back({interval.start, interval.end, static_cast<std::size_t>(interval.pass),
            bubble ? QString() : QString::number(interval.microBatch)});
    }
    data.describe = [timeline, first](std::size_t lane, std::size_t item) {
        return describe(timeline->stageIntervals[(*first)[lane] + item]);
    };
    return data;
}

std::vector<LegendEntry> pipelineLegend()
{
    std::vector<LegendEntry> entries;
    for (const LaneKind &kind : passKinds())
        entries.push_back({kind.name, {}, {}, kind.light, kind.dark});
    return entries;
}

LaneData timelineLanes(const std::shared_ptr<const Timeline> &timeline)
{
    LaneData data{.end = timeline->drawn};
    for (std::size_t i = 0; i < EnumNames<CostClass>::names.size(); ++i) {
        const auto kind = static_cast<CostClass>(i);
        data.kinds.push_back({costName(kind), costColor(kind, false), costColor(kind, true)});
    }
    const auto ids = std::make_shared<std::vector<std::vector<std::size_t>>>();
    for (std::size_t stream = 0; stream < EnumNames<Stream>::names.size(); ++stream) {
        LaneData::Lane lane{.name = streamName(static_cast<Stream>(stream)), .items = {}};
        std::vector<std::size_t> of;
        for (std::size_t i = 0; i < timeline->ops.size(); ++i) {
            const TimelineOp &op = timeline->ops[i];
            if (static_cast<std::size_t>(op.stream) != stream)
                continue;
            lane.items.push_back({op.start, op.end, static_cast<std::size_t>(op.cost),
                qs(op.name.substr(op.name.find('/') + 1)).replace(u'_', u' ')});
            of.push_back(i);
        }
        if (lane.items.empty())
            continue;
        data.lanes.push_back(std::move(lane));
        ids->push_back(std::move(of));
    }
    data.describe = [timeline, ids](
                        std::size_t lane, std::size_t item) { return describe(timeline->ops[(*ids)[lane][item]]); };
    return data;
}

std::vector<LegendEntry> timelineLegend()
{
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < EnumNames<CostClass>::names.size(); ++i) {
        const auto kind = static_cast<CostClass>(i);
        entries.push_back({kind == CostClass::Communication ? tr("Communication") : costName(kind), {}, {},
            costColor(kind, false), costColor(kind, true)});
    }
    return entries;
}

QString timelineNote(const Timeline &timeline)
{
    const auto most = std::max_element(timeline.ops.begin(), timeline.ops.end(),
        [](const TimelineOp &a, const TimelineOp &b) { return a.repetitions < b.repetitions; });
    if (most == timeline.ops.end() || most->repetitions <= 1)
        return {};
    return tr("Identical micro-batches are drawn once: one stands for %1. The whole step takes %2.")
        .arg(most->repetitions)
        .arg(localText(formatSeconds(timeline.step)));
}

} // namespace slipway::ui
