// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/report/figure_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPaintDevice>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

#include "predict/role_title.h"
#include "ui/charts/ticks.h"
#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

struct Frame {
    QRectF plot;
    double unit = 1; // one point in the device's units
    double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;

    [[nodiscard]] double px(double x) const { return plot.left() + (x - xLow) / (xHigh - xLow) * plot.width(); }
    [[nodiscard]] double py(double y) const { return plot.bottom() - (y - yLow) / (yHigh - yLow) * plot.height(); }
};

QFont figureFont(double points)
{
    QFont font;
    font.setPointSizeF(points);
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0.02); // avoids ligatures, because a search would not find them
    return font;
}

bool stacked(const ReportFigure &figure)
{
    return figure.kind == FigureKind::StackedBars || figure.kind == FigureKind::StackedAreas;
}

// Returns the number of positions along x: the points of a line, or one position per category.
std::size_t positions(const ReportFigure &figure)
{
    std::size_t most = 0;
    for (const ReportSeries &series : figure.series)
        most = std::max(most, series.y.size());
    return most;
}

// Lines differ in their dashes, unless dots of several shapes distinguish them.
Qt::PenStyle dashOf(const ReportFigure &figure, std::size_t s)
{
    return figure.doublings ? Qt::SolidLine : seriesDash(s);
}

// Returns the x position of a value, which is its power of two on a logarithmic axis.
double along(const ReportFigure &figure, double x) { return figure.doublings ? std::log2(std::max(x, 1e-12)) : x; }

void findRanges(const ReportFigure &figure, Frame &frame)
{
    double low = 1e300, high = -1e300, xLow = 1e300, xHigh = -1e300;
    const auto see = [&](double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };
    if (stacked(figure)) {
        for (std::size_t i = 0; i < positions(figure); ++i) {
            double sum = 0;
            for (const ReportSeries &series : figure.series)
                sum += i < series.y.size() ? series.y[i] : 0;
            see(sum);
        }
    } else {
        for (const ReportSeries &series : figure.series) {
            for (const auto *values : {&series.y, &series.low, &series.high})
                std::for_each(values->begin(), values->end(), see);
        }
    }
    for (const ReportSeries &series : figure.series) {
        for (const auto *values : {&series.x, &series.missingX}) {
            for (const double x : *values) {
                xLow = std::min(xLow, along(figure, x));
                xHigh = std::max(xHigh, along(figure, x));
            }
        }
    }
    if (figure.limit)
        see(*figure.limit);
    if (high < low)
        low = 0, high = 1;
    // The axis starts at zero if the values fill enough of it, or if they are almost equal. A constant line would
    // otherwise show as magnified noise.
    if (figure.kind != FigureKind::Lines || (low > 0 && (low < 0.4 * high || low > 0.98 * high)))
        low = std::min(low, 0.0);
    const double air = high > low ? (high - low) * 0.07 : 1.0;
    frame.yLow = low == 0.0 ? 0.0 : low - air;
    frame.yHigh = high + air;
    frame.xLow = xLow < xHigh ? xLow : 0;
    frame.xHigh = xLow < xHigh ? xHigh : 1;
    if (figure.doublings) {
        frame.xLow -= 0.3;
        frame.xHigh += 0.3;
        frame.yLow = 0;
    }
}

void drawValueAxis(QPainter &painter, const Frame &frame, const QString &label)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const std::vector<double> ticks = niceTicks(frame.yLow, frame.yHigh, 5);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    for (const double tick : ticks) {
        painter.setPen(QPen(themeColor(ThemeColor::Border, kPaper), 0.4 * frame.unit));
        painter.drawLine(QPointF(frame.plot.left(), frame.py(tick)), QPointF(frame.plot.right(), frame.py(tick)));
        painter.setPen(themeColor(ThemeColor::Muted, kPaper));
        painter.drawText(QRectF(frame.plot.left() - 60 * frame.unit, frame.py(tick) - metrics.height(), 56 * frame.unit,
                             2 * metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, compactNumber(tick, step));
    }
    painter.drawText(QPointF(frame.plot.left() - 40 * frame.unit, frame.plot.top() - 5 * frame.unit), label);
}

void drawDoublings(QPainter &painter, const Frame &frame, const QString &label)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.setPen(themeColor(ThemeColor::Muted, kPaper));
    const double y = frame.plot.bottom() + 3 * frame.unit;
    const double step = frame.xHigh - frame.xLow > 8 ? 2 : 1;
    const double first = std::ceil(frame.xLow);
    for (int i = 0; first + i * step <= frame.xHigh; ++i) {
        const double power = first + i * step;
        painter.drawText(QRectF(frame.px(power) - 30 * frame.unit, y, 60 * frame.unit, metrics.height()),
            Qt::AlignHCenter | Qt::AlignTop, QString::number(std::exp2(power), 'g', 10));
    }
    painter.drawText(QRectF(frame.plot.left(), y + metrics.height(), frame.plot.width(), metrics.height()),
        Qt::AlignHCenter | Qt::AlignTop, label);
}

void drawStepAxis(QPainter &painter, const Frame &frame, const ReportFigure &figure)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QString label = qs(figure.xLabel);
    const std::vector<double> ticks =
        atWholeNumbers(figure) ? wholeTicks(frame.xLow, frame.xHigh, 8) : niceTicks(frame.xLow, frame.xHigh, 8);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    painter.setPen(themeColor(ThemeColor::Muted, kPaper));
    const double y = frame.plot.bottom() + 3 * frame.unit;
    const double limit = frame.plot.right() - metrics.horizontalAdvance(label) - 8 * frame.unit;
    for (const double tick : ticks) {
        const QString text = compactNumber(tick, step);
        if (frame.px(tick) + metrics.horizontalAdvance(text) / 2 < limit)
            painter.drawText(QRectF(frame.px(tick) - 30 * frame.unit, y, 60 * frame.unit, metrics.height()),
                Qt::AlignHCenter | Qt::AlignTop, text);
    }
    painter.drawText(
        QRectF(frame.plot.left(), y, frame.plot.width(), metrics.height()), Qt::AlignRight | Qt::AlignTop, label);
}

void drawAreas(QPainter &painter, const Frame &frame, const ReportFigure &figure)
{
    const std::size_t count = positions(figure);
    std::vector<double> top(count, 0.0); // of the series that is drawn next
    painter.setPen(Qt::NoPen);
    for (const ReportSeries &series : figure.series) {
        for (std::size_t i = 0; i < count; ++i)
            top[i] += series.y[i];
    }
    // Each area reaches down to zero and is covered by those below it, so that no paper shines through between two.
    for (std::size_t s = figure.series.size(); s-- > 0;) {
        QPolygonF outline{QPointF(frame.px(0), frame.py(0))};
        for (std::size_t i = 0; i < count; ++i)
            outline << QPointF(frame.px(static_cast<double>(i)), frame.py(top[i]));
        outline << QPointF(frame.px(static_cast<double>(count) - 1), frame.py(0));
        painter.setBrush(figureSeriesColor(figure, s));
        painter.drawPolygon(outline);
        for (std::size_t i = 0; i < count; ++i)
            top[i] -= figure.series[s].y[i];
    }
}

// Returns the width that enlarges the dots and lines of earlier series, so that they show as a rim around later ones.
// Lines often overlap.
double rim(const ReportFigure &figure, std::size_t s, double unit)
{
    return figure.doublings && figure.joined ? 0.6 * static_cast<double>(figure.series.size() - 1 - s) * unit : 0.0;
}

void drawDots(QPainter &painter, const Frame &frame, const ReportFigure &figure, std::size_t s)
{
    const ReportSeries &series = figure.series[s];
    const double reach = 1.8 * frame.unit + rim(figure, s, frame.unit);
    painter.setPen(Qt::NoPen);
    painter.setBrush(figureSeriesColor(figure, s));
    for (std::size_t i = 0; i < series.y.size(); ++i)
        drawSeriesMark(painter, s, QPointF(frame.px(along(figure, series.x[i])), frame.py(series.y[i])), reach);
    // Crosses of several lines are placed side by side.
    painter.setPen(QPen(figureSeriesColor(figure, s), 0.9 * frame.unit));
    const double arm = 1.8 * frame.unit,
                 aside = (static_cast<double>(s) - static_cast<double>(figure.series.size() - 1) / 2) * 5 * frame.unit;
    for (const double x : series.missingX) {
        const QPointF at(frame.px(along(figure, x)) + aside, frame.plot.bottom() - 4 * frame.unit);
        painter.drawLine(at + QPointF(-arm, -arm), at + QPointF(arm, arm));
        painter.drawLine(at + QPointF(-arm, arm), at + QPointF(arm, -arm));
    }
}

void drawLines(QPainter &painter, const Frame &frame, const ReportFigure &figure)
{
    painter.setClipRect(frame.plot.adjusted(0, -2 * frame.unit, 0, 0));
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
        const ReportSeries &series = figure.series[s];
        if (!series.low.empty() && series.low.size() == series.high.size()) {
            QPolygonF band;
            for (std::size_t i = 0; i < series.high.size(); ++i)
                band << QPointF(frame.px(series.x[i]), frame.py(series.high[i]));
            for (std::size_t i = series.low.size(); i-- > 0;)
                band << QPointF(frame.px(series.x[i]), frame.py(series.low[i]));
            painter.setPen(Qt::NoPen);
            painter.setBrush(blended(figureSeriesColor(figure, s), Qt::white, 0.18));
            painter.drawPolygon(band);
        }
        QPainterPath path;
        bool begun = false;
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            if (!std::isfinite(series.y[i])) {
                begun = false;
                continue;
            }
            const QPointF at(frame.px(along(figure, series.x[i])), frame.py(series.y[i]));
            begun ? path.lineTo(at) : path.moveTo(at);
            begun = true;
        }
        if (figure.doublings)
            drawDots(painter, frame, figure, s);
        if (!figure.joined)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(
            QPen(figureSeriesColor(figure, s), 0.9 * frame.unit + rim(figure, s, frame.unit), dashOf(figure, s)));
        painter.drawPath(path);
    }
    painter.setClipping(false);
}

// Draws horizontal bars, because the names of categories need width.
void drawBars(QPainter &painter, const QRectF &box, const ReportFigure &figure, double unit)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    double names = 0;
    for (const std::string &category : figure.categories)
        names = std::max(names, metrics.horizontalAdvance(qs(category)));
    const bool pile = stacked(figure);
    Frame value{.unit = unit};
    findRanges(figure, value);
    const double left = box.left() + names + 8 * unit, right = box.right() - 52 * unit;
    const auto at = [&](double v) { return left + std::max(0.0, v) / value.yHigh * (right - left); };
    const std::size_t rows = std::max<std::size_t>(1, figure.categories.size());
    const double row = std::min(box.height() / static_cast<double>(rows), (pile ? 34 : 17) * unit);
    for (std::size_t c = 0; c < rows; ++c) {
        const double top = box.top() + (pile ? 12 * unit : 0) + row * static_cast<double>(c);
        painter.setPen(themeColor(ThemeColor::Text, kPaper));
        if (c < figure.categories.size())
            painter.drawText(
                QRectF(box.left(), top, names, row), Qt::AlignRight | Qt::AlignVCenter, qs(figure.categories[c]));
        double sum = 0;
        for (std::size_t s = 0; s < figure.series.size(); ++s) {
            const double v = c < figure.series[s].y.size() ? figure.series[s].y[c] : 0.0;
            painter.setPen(Qt::NoPen);
            painter.setBrush(pile ? figureSeriesColor(figure, s) : themeColor(ThemeColor::Accent, kPaper));
            painter.drawRect(QRectF(QPointF(at(sum), top + row * 0.15), QPointF(at(sum + v), top + row * 0.85)));
            sum += v;
        }
        painter.setPen(themeColor(ThemeColor::Text, kPaper));
        painter.drawText(QRectF(at(sum) + 4 * unit, top, 80 * unit, row), Qt::AlignLeft | Qt::AlignVCenter,
            formatReading(sum) + u' ' + qs(figure.yLabel));
        if (pile && figure.limit) {
            painter.setPen(
                QPen(sum > *figure.limit ? themeColor(ThemeColor::Bad, kPaper) : themeColor(ThemeColor::Text, kPaper),
                    1.2 * unit));
            painter.drawLine(
                QPointF(at(*figure.limit), top - 2 * unit), QPointF(at(*figure.limit), top + row + 2 * unit));
            const QString words =
                qs(figure.limitLabel) + u' ' + formatReading(*figure.limit) + u' ' + qs(figure.yLabel);
            const double width = metrics.horizontalAdvance(words);
            painter.drawText(
                QPointF(std::min(at(*figure.limit) - width / 2, box.right() - width), top - 4 * unit), words);
        }
    }
}

double drawKey(QPainter &painter, const QRectF &box, const ReportFigure &figure, double unit)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    double x = box.left(), y = box.top();
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
        const ReportSeries &series = figure.series[s];
        if (stacked(figure) && std::all_of(series.y.begin(), series.y.end(), [](double v) { return v <= 0; }))
            continue;
        const QString name = qs(series.name);
        const bool line = figure.kind == FigureKind::Lines && !figure.doublings;
        const double mark = (line ? 18 : 7) * unit, width = mark + metrics.horizontalAdvance(name) + 17 * unit;
        if (x > box.left() && x + width > box.right()) {
            x = box.left();
            y += metrics.height() + 1 * unit;
        }
        if (line) {
            const double middle = y + metrics.height() / 2 - unit;
            painter.setPen(QPen(figureSeriesColor(figure, s), 1.2 * unit, dashOf(figure, s), Qt::FlatCap));
            painter.drawLine(QPointF(x, middle), QPointF(x + mark, middle));
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(figureSeriesColor(figure, s));
            painter.drawRect(QRectF(
                x, y + metrics.height() / 2 - 3 * unit, mark, (figure.kind == FigureKind::Lines ? 2 : 6) * unit));
        }
        if (figure.doublings)
            drawSeriesMark(painter, s, QPointF(x + 3.5 * unit, y + metrics.height() / 2 - 2 * unit), 2.4 * unit);
        painter.setPen(themeColor(ThemeColor::Muted, kPaper));
        painter.drawText(QPointF(x + mark + 4 * unit, y + metrics.ascent()), name);
        x += width;
    }
    return y + metrics.height();
}

} // namespace

QColor figureSeriesColor(const ReportFigure &figure, std::size_t series)
{
    const QString name = qs(figure.series[series].name).toLower();
    if (figure.doublings) {
        static constexpr std::array lines{Role::Parameter, Role::Activation, Role::Communication, Role::OptimizerState,
            Role::Logits, Role::Workspace};
        return roleColor(lines[series % lines.size()], kPaper);
    }
    for (std::size_t i = 0; i < EnumNames<Role>::names.size() && figure.kind != FigureKind::Lines; ++i) {
        if (name == qs(roleTitle(i)))
            return roleColor(static_cast<Role>(i), kPaper);
    }
    if (figure.kind == FigureKind::Lines) // the colors of the window, where a single curve is measured
        return figure.series.size() == 1 ? themeColor(ThemeColor::Measured, kPaper) : seriesColor(series, kPaper);
    static constexpr std::array<QRgb, 4> others{0xffc9d1d9, 0xff5f6b78, 0xffe0812a, 0xff2a9486};
    return QColor::fromRgb(others[series % others.size()]);
}

void paintFigure(QPainter &painter, const QRectF &box, const ReportFigure &figure)
{
    painter.save();
    const double unit = painter.device()->logicalDpiY() / 72.0;
    QFont title = figureFont(9);
    title.setWeight(QFont::DemiBold);
    painter.setFont(title);
    painter.setPen(themeColor(ThemeColor::Text, kPaper));
    painter.drawText(QPointF(box.left(), box.top() + 9 * unit), qs(figure.title));
    painter.setFont(figureFont(7.5));
    QRectF rest = box.adjusted(0, 15 * unit, 0, 0);
    if (figure.listsSeries())
        rest.setTop(drawKey(painter, rest, figure, unit) + 4 * unit);
    if (figure.kind == FigureKind::Bars || figure.kind == FigureKind::StackedBars) {
        drawBars(painter, rest, figure, unit);
        painter.restore();
        return;
    }
    Frame frame{
        .plot = rest.adjusted(40 * unit, 12 * unit, -4 * unit, (figure.doublings ? -25 : -14) * unit), .unit = unit};
    findRanges(figure, frame);
    drawValueAxis(painter, frame, qs(figure.yLabel));
    figure.doublings ? drawDoublings(painter, frame, qs(figure.xLabel)) : drawStepAxis(painter, frame, figure);
    figure.kind == FigureKind::StackedAreas ? drawAreas(painter, frame, figure) : drawLines(painter, frame, figure);
    if (figure.limit) {
        painter.setPen(QPen(themeColor(ThemeColor::Text, kPaper), 0.9 * unit, Qt::DashLine));
        painter.drawLine(
            QPointF(frame.plot.left(), frame.py(*figure.limit)), QPointF(frame.plot.right(), frame.py(*figure.limit)));
        painter.drawText(QRectF(frame.plot.left(), frame.py(*figure.limit) - 12 * unit, frame.plot.width(), 11 * unit),
            Qt::AlignRight | Qt::AlignBottom, qs(figure.limitLabel));
    }
    painter.setPen(QPen(themeColor(ThemeColor::Muted, kPaper), 0.6 * unit));
    painter.drawLine(frame.plot.bottomLeft(), frame.plot.bottomRight());
    painter.restore();
}

} // namespace slipway::ui
