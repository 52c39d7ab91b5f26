// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/memory_areas.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "predict/predict.h"
#include "ui/charts/ticks.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr double kShortestSpan = 0.015; // fraction of a step; shorter phases are not shown separately

void dropShortSpans(std::vector<AreaSpan> &spans, std::size_t count)
{
    for (std::size_t i = spans.size(); i-- > 1;) {
        const std::size_t next = i + 1 < spans.size() ? spans[i + 1].first : count;
        if (static_cast<double>(next - spans[i].first) < kShortestSpan * static_cast<double>(count) ||
            spans[i].name == spans[i - 1].name)
            spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// Gives phases that alternate quickly one name: recomputation counts as backward, and the chunks of the loss count as
// loss.
QString spanName(const MemoryOverStep::Point &point)
{
    if (point.op.starts_with("loss"))
        return tr("Loss");
    return phaseName(point.phase == Phase::Recompute ? Phase::Backward : point.phase);
}

// Adds the layers and position names of points, which have bytes by role, an op and a layer.
template<typename Points>
void addPoints(AreaData &areas, const Points &points, const ByteUnit &unit)
{
    for (std::size_t i = 0; i < EnumNames<Role>::names.size(); ++i) {
        const auto role = static_cast<Role>(i);
        AreaLayer layer{roleName(role), roleColor(role, false), roleColor(role, true), {}};
        layer.values.reserve(points.size());
        for (const auto &point : points)
            layer.values.push_back(static_cast<double>(point.bytes[i]) / unit.bytes);
        areas.layers.push_back(std::move(layer));
    }
    for (const auto &point : points)
        areas.positions.push_back(
            point.layer >= 0 ? tr("%1, layer %2").arg(qs(point.op)).arg(point.layer) : qs(point.op));
}

void setUsable(AreaData &areas, Bytes usable, const ByteUnit &unit)
{
    areas.limit = static_cast<double>(usable) / unit.bytes;
    areas.limitName = tr("usable %1").arg(bytesText(static_cast<double>(usable)));
    areas.text = [unit](double value) { return bytesText(value * unit.bytes); };
    areas.tick = [unit](double value, double step) -> QString {
        return compactNumber(value, step) + u' ' + qs(unit.name);
    };
}

// Returns the unit of an axis that shows all points and the usable memory.
template<typename Points>
ByteUnit unitOf(const Points &points, Bytes usable)
{
    Bytes most = usable;
    for (const auto &point : points)
        most = std::max(most, std::accumulate(point.bytes.begin(), point.bytes.end(), Bytes{0}));
    return byteUnit(static_cast<double>(most));
}

} // namespace

AreaData firstStepsAreas(const FirstSteps &first)
{
    AreaData areas;
    const ByteUnit unit = unitOf(first.points, first.usable);
    addPoints(areas, first.points, unit);
    areas.line.name = tr("reserved");
    Bytes highest = -1;
    for (std::size_t i = 0; i < first.points.size(); ++i) {
        const FirstSteps::Point &point = first.points[i];
        if (i == 0 || point.step != first.points[i - 1].step)
            areas.spans.push_back({tr("Step %1").arg(point.step), i});
        areas.positions[i] = tr("Step %1: %2").arg(point.step).arg(areas.positions[i]);
        areas.line.values.push_back(static_cast<double>(point.reserved) / unit.bytes);
        if (point.allocated > highest) {
            highest = point.allocated;
            areas.mark = i;
        }
    }
    areas.markName = highest >= 0 ? tr("peak %1").arg(bytesText(static_cast<double>(highest))) : QString();
    setUsable(areas, first.usable, unit);
    return areas;
}

AreaData memoryAreas(const MemoryOverStep &memory, const Prediction &prediction)
{
    AreaData areas;
    // Memory outside the allocator is not available to the step.
    const Bytes usable = prediction.memory.capacity - prediction.memory.outsideAllocator;
    const ByteUnit unit = unitOf(memory.points, usable);
    addPoints(areas, memory.points, unit);
    double highest = -1.0;
    for (std::size_t i = 0; i < memory.points.size(); ++i) {
        const MemoryOverStep::Point &point = memory.points[i];
        const QString phase = spanName(point);
        if (areas.spans.empty() || areas.spans.back().name != phase)
            areas.spans.push_back({phase, i});
        double sum = 0.0;
        for (const Bytes bytes : point.bytes)
            sum += static_cast<double>(bytes);
        if (sum > highest) {
            highest = sum;
            areas.mark = i;
        }
    }
    dropShortSpans(areas.spans, memory.points.size());
    areas.markName = highest >= 0 ? tr("peak %1").arg(bytesText(highest)) : QString();
    setUsable(areas, usable, unit);
    return areas;
}

} // namespace slipway::ui
