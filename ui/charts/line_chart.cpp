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

std::vector<double> smoothed(std::span<const double> y, double halfLife)
{
    const double keep = halfLife > 0 ? std::exp2(-1.0 / halfLife) : 0.0;
    std::vector<double> result;
    result.reserve(y.size());
    double sum = 0.0, weight = 0.0;
    for (const double value : y) {
        if (!std::isfinite(value)) {
            result.push_back(value);
            continue;
        }
        sum = keep * sum + (1.0 - keep) * value;
        weight = keep * weight + (1.0 - keep);
        result.push_back(sum / weight);
    }
    return result;
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

    void moveCursor(int by);
    void press(const QMouseEvent &event);
    void move(const QMouseEvent &event);
    bool wheel(const QWheelEvent &event);
};

void LineChart::Impl::moveCursor(int by)
{
    if (x.empty())
        return;
    const auto last = static_cast<std::ptrdiff_t>(x.size()) - 1;
    const std::ptrdiff_t now = cursor ? static_cast<std::ptrdiff_t>(nearest(*cursor)) : last;
    cursor = x[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + by, 0, last))];
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
        const double shift = (dragFrom->x() - event.position().x()) / std::max(1.0, area.width()) * (dragHigh - dragLow);
        show(dragLow + shift, dragHigh + shift);
    }
    cursor.reset();
    if (area.adjusted(-4, 0, 4, 0).contains(event.position()))
        cursor = view->xAt(event.position().x());
    view->viewport()->update();
}

bool LineChart::Impl::wheel(const QWheelEvent &event)
{
    if (x.size() < 3 || event.angleDelta().y() == 0 || !(event.modifiers() & Qt::ControlModifier))
        return false;
    zoomAround(event.angleDelta().y() > 0 ? 0.8 : 1.25, view->xAt(event.position().x()));
    return true;
}

LineChart::LineChart(QWidget *parent) : QWidget(parent), m(std::make_unique<Impl>())
{
    m->create(this);
    m->redrawn = [this] { Q_EMIT redrawn(); };
    m->view->setColours(isDark(palette()));
    m->view->viewport()->setMouseTracking(true);
    m->view->viewport()->installEventFilter(this);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(116);
    setToolTip(tr("Ctrl + wheel zooms, drag moves, double click shows all; arrow keys read values"));
}

LineChart::~LineChart() = default;

void LineChart::setQuantity(const QString &name, std::function<QString(double)> text, bool fromZero)
{
    m->name = name;
    m->text = std::move(text);
    m->fromZero = fromZero;
    setAccessibleName(name);
}

void LineChart::setXTitle(const QString &title)
{
    m->xTitle = title;
    m->view->setAxisTitle(title);
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
    m->redraw();
}

void LineChart::setPoints(std::vector<double> x, std::vector<double> y)
{
    m->x = std::move(x);
    m->y = std::move(y);
    m->smooth();
    m->redraw();
    if (!m->y.empty())
        setAccessibleDescription(tr("%1 points, last %2").arg(m->x.size()).arg(m->reading(m->y.back())));
}

void LineChart::setSmoothing(bool on)
{
    m->smoothing = on;
    m->smooth();
    m->redraw();
}

std::size_t LineChart::drawnPoints() const { return m->drawn; }
std::size_t LineChart::allPoints() const { return m->x.size(); }
double LineChart::shownFrom() const { return m->from(); }
double LineChart::shownTo() const { return m->to(); }
void LineChart::zoom(double factor, double aroundX) { m->zoomAround(factor, aroundX); }

void LineChart::showAll()
{
    m->zoomed.reset();
    m->redraw();
}

void LineChart::fixScheme(bool dark)
{
    m->fixedDark = dark;
    m->view->setColours(dark);
    m->redraw();
}

void LineChart::paintTo(QPainter &painter, const QRectF &target)
{
    m->view->render(&painter, target, m->view->rect(), Qt::KeepAspectRatio);
}

void LineChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange) {
        m->view->setColours(m->fixedDark.value_or(isDark(palette())));
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
    const double middle = m->cursor.value_or((m->from() + m->to()) / 2);
    const int far = static_cast<int>(std::max<std::size_t>(1, m->x.size() / 20));
    switch (event->key()) {
    case Qt::Key_Left: m->moveCursor(event->modifiers() & Qt::ControlModifier ? -far : -1); return;
    case Qt::Key_Right: m->moveCursor(event->modifiers() & Qt::ControlModifier ? far : 1); return;
    case Qt::Key_Plus: zoom(0.8, middle); return;
    case Qt::Key_Minus: zoom(1.25, middle); return;
    case Qt::Key_0: showAll(); return;
    default: QWidget::keyPressEvent(event);
    }
}

void LineChart::focusOutEvent(QFocusEvent *event)
{
    m->cursor.reset();
    m->view->viewport()->update();
    QWidget::focusOutEvent(event);
}

bool LineChart::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress: m->press(*static_cast<QMouseEvent *>(event)); break;
    case QEvent::MouseButtonRelease: m->dragFrom.reset(); break;
    case QEvent::MouseMove: m->move(*static_cast<QMouseEvent *>(event)); break;
    case QEvent::MouseButtonDblClick: showAll(); return true;
    case QEvent::Wheel:
        if (m->wheel(*static_cast<QWheelEvent *>(event)))
            return true;
        event->ignore(); // the page scrolls
        return true;
    case QEvent::Leave:
        m->cursor.reset();
        m->view->viewport()->update();
        break;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
