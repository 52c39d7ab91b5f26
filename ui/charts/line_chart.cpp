// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/line_chart.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "ui/charts/line_plot.h"

namespace slipway::ui {

double halfLifeFor(std::size_t points)
{
    return std::exp2(std::round(std::log2(std::clamp(static_cast<double>(points) / 200.0, 2.0, 128.0))));
}

ShownRange robustRange(std::vector<double> values, std::span<const double> keep, bool fromZero)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    double low = 0.0, high = 1.0;
    if (!values.empty()) {
        std::sort(values.begin(), values.end());
        const std::size_t cut = values.size() / 400;
        low = values[cut];
        high = values[values.size() - 1 - cut];
    } else if (!keep.empty()) {
        low = high = keep.front();
    }
    for (const double value : keep) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (fromZero)
        low = std::min(low, 0.0);
    const double air = high > low ? (high - low) * 0.08 : std::max(std::abs(high) * 0.05, 1e-9);
    return {fromZero && low == 0.0 ? 0.0 : low - air, high + air};
}

struct LineChart::Impl : LinePlot {
    std::optional<QPointF> dragFrom;
    double dragLow = 0.0, dragHigh = 0.0;

    void moveCursor(std::ptrdiff_t by);
    void press(const QMouseEvent &event);
    void move(const QMouseEvent &event);
    bool wheel(const QWheelEvent &event);
};

// Steps through the points of the longest line, so that every value can be read with the keyboard.
void LineChart::Impl::moveCursor(std::ptrdiff_t by)
{
    const auto longest = std::max_element(lines.begin(), lines.end(), [](const ChartLine &a, const ChartLine &b) {
        return (a.curve ? a.curve->size() : 0) < (b.curve ? b.curve->size() : 0);
    });
    if (longest == lines.end() || points() == 0)
        return;
    if (!cursor) {
        cursor = to();
    } else {
        // The points are not equidistant, so search for the next one at a different x.
        const std::optional<CurvePoint> now = longest->curve->nearest(*cursor, 0);
        const double spacing = (whole().to - whole().from) / static_cast<double>(points());
        double step = spacing * static_cast<double>(by);
        for (int tries = 0; tries < 40; ++tries, step *= 1.5) {
            cursor = std::clamp(now->x + step, whole().from, whole().to);
            if (longest->curve->nearest(*cursor, 0)->x != now->x)
                break;
        }
    }
    cursor = longest->curve->nearest(*cursor, 0)->x;
    view->viewport()->update();
}

void LineChart::Impl::press(const QMouseEvent &event)
{
    if (event.button() != Qt::LeftButton)
        return;
    dragFrom = event.position();
    dragLow = from();
    dragHigh = to();
}

void LineChart::Impl::move(const QMouseEvent &event)
{
    const QRectF area = view->plotRect();
    if (dragFrom && zoomed && (event.buttons() & Qt::LeftButton)) {
        const double shift =
            (dragFrom->x() - event.position().x()) / std::max(1.0, area.width()) * (dragHigh - dragLow);
        show(dragLow + shift, dragHigh + shift);
    }
    cursor.reset();
    if (area.adjusted(-4, 0, 4, 0).contains(event.position()))
        cursor = view->xAt(event.position().x());
    view->viewport()->update();
}

bool LineChart::Impl::wheel(const QWheelEvent &event)
{
    if (points() < 3 || event.angleDelta().y() == 0 || !(event.modifiers() & Qt::ControlModifier))
        return false;
    zoomAround(event.angleDelta().y() > 0 ? 0.8 : 1.25, view->xAt(event.position().x()));
    return true;
}

LineChart::LineChart(QWidget *parent) : QWidget(parent), m(std::make_unique<Impl>())
{
    m->create(this);
    m->redrawn = [this] { Q_EMIT redrawn(); };
    m->view->setColors(isDark(palette()));
    m->view->viewport()->setMouseTracking(true);
    m->view->viewport()->installEventFilter(this);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(116);
    offerTable(*this, [this] { return table(); });
}

LineChart::~LineChart() = default;

void LineChart::setQuantity(const QString &name, std::function<QString(double)> text, bool fromZero, double scale)
{
    m->name = name;
    m->text = std::move(text);
    m->fromZero = fromZero;
    m->scale = scale;
    setAccessibleName(name);
}

void LineChart::setBytes(bool bytes) { m->bytes = bytes; }

void LineChart::setXAxis(const QString &title, XUnit unit)
{
    if (m->xTitle == title && m->xUnit == unit)
        return;
    m->xTitle = title;
    m->xUnit = unit;
    m->view->setAxisTitle(title);
    m->zoomed.reset();
    m->cursor.reset();
    m->redraw();
}

void LineChart::setPredicted(const std::optional<PredictedBand> &band)
{
    if (m->band == band)
        return;
    m->band = band;
    m->redraw();
}

void LineChart::setMarkers(std::vector<LineMarker> markers)
{
    m->markers = std::move(markers);
    m->view->viewport()->update();
}

void LineChart::setDots(std::vector<double> x, std::vector<double> y, const QString &name)
{
    m->dotsX = std::move(x);
    m->dotsY = std::move(y);
    m->dotsName = name;
    m->view->viewport()->update();
}

void LineChart::setLines(std::vector<ChartLine> lines)
{
    setLinesDeferred(std::move(lines));
    refresh();
}

void LineChart::setLinesDeferred(std::vector<ChartLine> lines)
{
    m->lines = std::move(lines);
    m->kept = true;
}

void LineChart::setPoints(std::vector<double> x, std::vector<double> y)
{
    auto curve = std::make_shared<PlainCurve>(std::move(x), y);
    setLines({{.name = tr("measured"),
        .light = themeColor(ThemeColor::Measured, false),
        .dark = themeColor(ThemeColor::Measured, true),
        .curve = std::move(curve),
        .markNonFinite = true}});
}

void LineChart::refresh()
{
    m->kept = false;
    m->redraw();
    QStringList words{tr("%1 points").arg(m->points())};
    for (const ChartLine &line : m->lines) {
        if (const auto last = line.curve ? line.curve->nearest(m->to(), 0) : std::nullopt)
            words << tr("%1: last %2").arg(line.name, m->reading(last->y));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
}

// Returns the points as drawn. Each row holds the values of all lines at one x.
ChartTable LineChart::table() const
{
    constexpr std::size_t kMostRows = 1000;
    ChartTable table{.columns = {m->xTitle.isEmpty() ? tr("Step") : m->xTitle}};
    std::vector<double> places;
    for (const ChartLine &line : m->lines) {
        table.columns << line.name;
        if (!line.curve)
            continue;
        for (const EnvelopeBucket &bucket : line.curve->buckets(kMostRows, {m->from(), m->to()}, 0)) {
            if (bucket.points > 0)
                places.push_back(bucket.x);
        }
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const double x : places) {
        QStringList row{m->xReading(x)};
        for (const ChartLine &line : m->lines) {
            const auto point = line.curve ? line.curve->nearest(x, 0) : std::nullopt;
            row << (point && point->x == x ? m->reading(point->y) : QString());
        }
        table.rows.push_back(std::move(row));
    }
    if (m->band)
        table.rows.push_back({m->band->name, m->reading(m->band->middle)});
    return table;
}

void LineChart::setHalfLife(double values)
{
    if (m->halfLife == values)
        return;
    m->halfLife = values;
    m->redraw();
}

void LineChart::setEmphasis(const QString &line)
{
    if (m->emphasis == line)
        return;
    m->emphasis = line;
    m->redraw();
}

void LineChart::setLogarithmic(bool on)
{
    if (m->logarithmic == on)
        return;
    m->logarithmic = on;
    m->redraw();
}

std::size_t LineChart::drawnPoints() const { return m->drawn; }
std::size_t LineChart::allPoints() const { return m->points(); }
double LineChart::shownFrom() const { return m->from(); }
double LineChart::shownTo() const { return m->to(); }

void LineChart::zoom(double factor, double aroundX)
{
    m->zoomAround(factor, aroundX);
    Q_EMIT zoomed(m->zoomed);
}

void LineChart::showAll()
{
    m->zoomed.reset();
    m->redraw();
    Q_EMIT zoomed(m->zoomed);
}

void LineChart::follow(const std::optional<CurveRange> &range)
{
    if (m->zoomed == range)
        return;
    m->zoomed = range;
    m->redraw();
}

void LineChart::followCursor(std::optional<double> x)
{
    if (m->cursor == x)
        return;
    m->cursor = x;
    m->view->viewport()->update();
}

void LineChart::setFixedScheme(bool dark)
{
    m->fixedDark = dark;
    m->view->setColors(dark);
    m->redraw();
}

void LineChart::paintTo(QPainter &painter, const QRectF &target)
{
    m->view->render(&painter, target, m->view->rect(), Qt::KeepAspectRatio);
}

void LineChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange) {
        m->view->setColors(m->fixedDark.value_or(isDark(palette())));
        m->redraw();
    }
    QWidget::changeEvent(event);
}

void LineChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m->view->setGeometry(rect());
    m->redraw();
}

void LineChart::keyPressEvent(QKeyEvent *event)
{
    const auto moveBy = [this](std::ptrdiff_t points) {
        m->moveCursor(points);
        Q_EMIT cursorMoved(m->cursor);
    };
    const double middle = m->cursor.value_or((m->from() + m->to()) / 2);
    const auto far = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, m->points() / 20));
    switch (event->key()) {
    case Qt::Key_Left:
        moveBy(event->modifiers() & Qt::ControlModifier ? -far : -1);
        return;
    case Qt::Key_Right:
        moveBy(event->modifiers() & Qt::ControlModifier ? far : 1);
        return;
    case Qt::Key_Plus:
        zoom(0.8, middle);
        return;
    case Qt::Key_Minus:
        zoom(1.25, middle);
        return;
    case Qt::Key_0:
        showAll();
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void LineChart::focusOutEvent(QFocusEvent *event)
{
    followCursor(std::nullopt);
    Q_EMIT cursorMoved(std::nullopt);
    QWidget::focusOutEvent(event);
}

bool LineChart::eventFilter(QObject *watched, QEvent *event)
{
    const std::optional<CurveRange> before = m->zoomed;
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        m->press(*static_cast<QMouseEvent *>(event));
        break;
    case QEvent::MouseButtonRelease:
        m->dragFrom.reset();
        break;
    case QEvent::MouseMove:
        m->move(*static_cast<QMouseEvent *>(event));
        Q_EMIT cursorMoved(m->cursor);
        break;
    case QEvent::MouseButtonDblClick:
        showAll();
        return true;
    case QEvent::Wheel:
        if (!m->wheel(*static_cast<QWheelEvent *>(event)))
            event->ignore(); // the page scrolls instead
        if (before != m->zoomed)
            Q_EMIT zoomed(m->zoomed);
        return true;
    case QEvent::Leave:
        followCursor(std::nullopt);
        Q_EMIT cursorMoved(std::nullopt);
        break;
    default:
        break;
    }
    if (before != m->zoomed)
        Q_EMIT zoomed(m->zoomed);
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
