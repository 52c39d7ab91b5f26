// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/line_plot.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "ui/charts/plot_parts.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr std::size_t kMostRaws = 4; // more bands would hide each other
constexpr double kSmallestSpan = 1e-9;

void replaceIn(QAreaSeries &area, const QList<QPointF> &top, const QList<QPointF> &bottom)
{
    area.upperSeries()->replace(top);
    area.lowerSeries()->replace(bottom);
}

} // namespace

void LinePlot::create(QWidget *parent)
{
    view = new PlotView(parent);
    view->setMargins({56, 12, 14, 26});
    m_band = newArea();
    view->add(m_band);
    for (std::size_t i = 0; i < kMostRaws; ++i) {
        m_raws.push_back(newArea());
        view->add(m_raws.back());
    }
    m_predicted = new QLineSeries;
    view->add(m_predicted);
    view->overlay = [this](QPainter &painter) { drawOverlay(painter); };
}

QString LinePlot::reading(double value) const { return text ? text(value) : localText(formatReading(value)); }

QString LinePlot::xReading(double value) const
{
    if (xUnit == XUnit::Seconds)
        return localText(timeLabel(value, value < 60 ? 0.1 : 1));
    return localText((xUnit == XUnit::Usd ? QStringLiteral("$") : QString()) + formatReading(value));
}

std::size_t LinePlot::points() const
{
    std::size_t most = 0;
    for (const ChartLine &line : lines)
        most = std::max(most, line.curve ? line.curve->size() : 0);
    return most;
}

CurveRange LinePlot::whole() const
{
    std::optional<CurveRange> all;
    for (const ChartLine &line : lines) {
        const std::optional<CurveRange> range = line.curve ? line.curve->range() : std::nullopt;
        if (range)
            all = all ? CurveRange{std::min(all->from, range->from), std::max(all->to, range->to)} : *range;
    }
    if (!all)
        return {0.0, 1.0};
    if (all->to <= all->from)
        all->to = all->from + 1.0;
    return *all;
}

double LinePlot::halfLifeOf(const ChartLine &line) const
{
    return halfLife < 0 ? halfLifeFor(line.curve ? line.curve->size() : 0) : halfLife;
}

void LinePlot::show(double low, double high)
{
    const CurveRange all = whole();
    const double width = std::min(high - low, all.to - all.from);
    low = std::clamp(low, all.from, all.to - width);
    zoomed = CurveRange{low, low + width};
    redraw();
}

void LinePlot::zoomAround(double factor, double around)
{
    if (points() < 3)
        return;
    const CurveRange all = whole();
    const double least =
        std::max((all.to - all.from) * 4.0 / static_cast<double>(points()), kSmallestSpan); // the width of four points
    const double width = std::max((to() - from()) * factor, least);
    if (width >= all.to - all.from) {
        zoomed.reset();
        redraw();
        return;
    }
    const double share = (around - from()) / (to() - from());
    show(around - share * width, around + (1.0 - share) * width);
}

double LinePlot::height(double value) const { return logarithmic ? std::log10(value / scale) : value / scale; }

LinePlot::Drawn LinePlot::draw(
    const ChartLine &line, const CurveRange &shown, std::size_t most, std::vector<double> &seen)
{
    Drawn result;
    if (!line.curve)
        return result;
    const std::vector<EnvelopeBucket> buckets = line.curve->buckets(most, shown, halfLifeOf(line));
    for (const EnvelopeBucket &bucket : buckets) {
        if (bucket.notFinite > 0 && line.markNonFinite)
            m_lost.push_back({bucket.x, 0});
        if (bucket.points == 0)
            continue;
        if (logarithmic && bucket.min <= 0) {
            ++m_notShown;
            if (bucket.max <= 0)
                continue;
        }
        const double low = height(logarithmic && bucket.min <= 0 ? bucket.max : bucket.min), high = height(bucket.max);
        result.top.append({bucket.x, high});
        result.bottom.append({bucket.x, low});
        seen.push_back(low);
        seen.push_back(high);
    }
    bool gap = true;
    for (const EnvelopeBucket &bucket : buckets) {
        const double value = bucket.mean.value_or(bucket.last);
        if (bucket.points == 0 || (logarithmic && value <= 0)) {
            gap = true;
            continue;
        }
        if (std::exchange(gap, false))
            result.pieces.emplace_back();
        result.pieces.back().append({bucket.x, height(value)});
        ++drawn;
    }
    return result;
}

std::vector<double> LinePlot::keptInRange() const
{
    std::vector<double> keep;
    const auto add = [&](double value) {
        if (std::isfinite(height(value)))
            keep.push_back(height(value));
    };
    if (band) {
        add(band->middle);
        if (band->low && band->high) {
            add(*band->low);
            add(*band->high);
        }
    }
    for (std::size_t i = 0; i < dotsX.size(); ++i) {
        if (dotsX[i] >= from() && dotsX[i] <= to())
            add(dotsY[i]);
    }
    return keep;
}

void LinePlot::redraw()
{
    if (kept)
        return;
    const CurveRange shown{from(), to()};
    const auto most = static_cast<std::size_t>(std::clamp(view->plotRect().width(), 100.0, 2000.0));
    std::vector<double> seen;
    std::vector<Drawn> drawnLines;
    m_lost.clear();
    m_above.clear();
    m_notShown = 0;
    drawn = 0;
    for (const ChartLine &line : lines)
        drawnLines.push_back(draw(line, shown, most, seen));
    const ShownRange range = robustRange(std::move(seen), keptInRange(), fromZero && !logarithmic);
    setAxes();
    view->setRanges({shown.from, shown.to}, {range.low, range.high});
    drawBand(shown);
    place(drawnLines);
    view->viewport()->update();
    if (redrawn)
        redrawn();
}

void LinePlot::setAxes()
{
    const auto dollars = [](double value, double step) -> QString {
        return QStringLiteral("$") + compactNumber(value, step);
    };
    const auto powers = [](double value, double) { return logLabel(value); };
    const auto unit = std::make_shared<ByteUnit>(); // unit of the ticks computed last
    const auto byteTicks = [unit](double low, double high, int count) {
        *unit = byteUnit(high);
        std::vector<double> ticks = niceTicks(low / unit->bytes, high / unit->bytes, count);
        for (double &tick : ticks)
            tick *= unit->bytes;
        return ticks;
    };
    const auto byteLabel = [unit](double value, double step) -> QString {
        return compactNumber(value / unit->bytes, step / unit->bytes) + u' ' +
               QLatin1String(unit->name.data(), static_cast<qsizetype>(unit->name.size()));
    };
    view->setFormats(xUnit == XUnit::Seconds ? TickFormat(timeLabel)
                     : xUnit == XUnit::Usd   ? TickFormat(dollars)
                                             : TickFormat(compactNumber),
        logarithmic ? TickFormat(powers)
        : bytes     ? TickFormat(byteLabel)
                    : TickFormat(compactNumber));
    view->setTicks(xUnit == XUnit::Seconds ? TickFinder(timeTicks)
                   : xUnit == XUnit::Usd   ? TickFinder(niceTicks)
                                           : TickFinder(wholeTicks),
        logarithmic ? TickFinder(logTicks)
        : bytes     ? TickFinder(byteTicks)
                    : TickFinder(niceTicks));
    m_band->setColor(view->colorOf(ThemeColor::PredictedWash));
    m_predicted->setPen(QPen(view->colorOf(ThemeColor::Predicted), 1.4, Qt::DashLine));
}

bool LinePlot::fades(const ChartLine &line) const
{
    return std::any_of(lines.begin(), lines.end(), [this](const ChartLine &one) { return standsOut(one); }) &&
           !standsOut(line);
}

QPen LinePlot::penOf(const ChartLine &line) const
{
    constexpr double kFaded = 0.25;
    const QColor color = colorOf(line);
    const double width = standsOut(line) ? 2.6 : lines.size() > 1 ? 1.4 : 1.6;
    return {fades(line) ? blended(color, view->colorOf(ThemeColor::Surface), kFaded) : color, width, line.style,
        Qt::RoundCap, Qt::RoundJoin};
}

QColor LinePlot::faint(const QColor &color) const { return blended(color, view->colorOf(ThemeColor::Surface), 0.3); }

// Only one of several compared runs may have measured a quantity. Its raw values then keep the color of the run.
QColor LinePlot::rawColorOf(const ChartLine &line) const
{
    const QColor color = colorOf(line);
    return color == view->colorOf(ThemeColor::Measured) ? view->colorOf(ThemeColor::Raw) : faint(color);
}

// The emphasized line is drawn above the others.
std::vector<std::size_t> LinePlot::paintOrder() const
{
    std::vector<std::size_t> order(lines.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_partition(order.begin(), order.end(), [this](std::size_t i) { return !standsOut(lines[i]); });
    return order;
}

void LinePlot::place(const std::vector<Drawn> &drawnLines)
{
    std::size_t used = 0;
    for (const std::size_t i : paintOrder()) {
        const QPen pen = penOf(lines[i]);
        if (i < kMostRaws)
            placeRaw(i, drawnLines[i], pen.color());
        for (const QPointF &point : drawnLines[i].top) {
            if (point.y() > view->yRange().high)
                m_above.push_back(point.x());
        }
        for (const QList<QPointF> &piece : drawnLines[i].pieces) {
            if (used == m_lines.size()) {
                m_lines.push_back(new QLineSeries);
                view->add(m_lines.back());
            }
            QLineSeries &series = *m_lines[used++];
            series.setPen(pen);
            // A single point between two gaps becomes a short dash, because a line with one point is invisible.
            const double dash = (to() - from()) / std::max(1.0, view->plotRect().width());
            series.replace(piece.size() == 1 ? QList<QPointF>{piece[0], {piece[0].x() + dash, piece[0].y()}} : piece);
            series.setVisible(true);
        }
    }
    for (std::size_t i = used; i < m_lines.size(); ++i)
        m_lines[i]->setVisible(false);
    for (std::size_t i = drawnLines.size(); i < kMostRaws; ++i)
        m_raws[i]->setVisible(false);
}

void LinePlot::placeRaw(std::size_t n, const Drawn &line, const QColor &color)
{
    QAreaSeries &area = *m_raws[n];
    const bool shown = lines.size() <= kMostRaws &&
                       (halfLifeOf(lines[n]) > 0 || lines[n].curve->size() > static_cast<std::size_t>(line.top.size()));
    area.setVisible(shown);
    if (!shown)
        return;
    const QColor ground = lines.size() == 1 ? rawColorOf(lines[n]) : faint(color);
    area.setColor(ground);
    area.setPen(QPen(ground, 1));
    replaceIn(area, line.top, line.bottom);
}

void LinePlot::drawBand(const CurveRange &shown)
{
    const bool possible = band && std::isfinite(height(band->middle));
    const bool wide = possible && band->low && band->high && std::isfinite(height(*band->low));
    m_band->setVisible(wide);
    m_predicted->setVisible(possible);
    if (wide)
        replaceIn(*m_band, {{shown.from, height(*band->high)}, {shown.to, height(*band->high)}},
            {{shown.from, height(*band->low)}, {shown.to, height(*band->low)}});
    if (possible)
        m_predicted->replace(QList<QPointF>{{shown.from, height(band->middle)}, {shown.to, height(band->middle)}});
}

} // namespace slipway::ui
