// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/metric_tile.h"

#include <QPainter>
#include <algorithm>

#include "ui/language/local_text.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// A detail wider than kShortDetail may be elided. A range of two amounts, as $37,084 – $79,121, is not.
constexpr int kPad = 13, kShortDetail = 140;

QFont smallFont() { return fontOf(TextKind::Muted); }

} // namespace

QString sourceName(Source source)
{
    switch (source) {
    case Source::Predicted:
        return tr("Predicted");
    case Source::Measured:
        return tr("Measured");
    case Source::Quoted:
        return tr("Quoted price");
    }
    return {};
}

void paintSource(QPainter &painter, QPointF center, Source source, const QPalette &palette)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    switch (source) {
    case Source::Predicted: {
        QPen pen(themeColor(ThemeColor::Predicted, palette), 1.5);
        pen.setDashPattern({1.6, 1.2});
        painter.setPen(pen);
        painter.drawEllipse(center, 4.2, 4.2);
        break;
    }
    case Source::Measured:
        painter.setPen(Qt::NoPen);
        painter.setBrush(themeColor(ThemeColor::Measured, palette));
        painter.drawEllipse(center, 4.6, 4.6);
        break;
    case Source::Quoted:
        painter.setPen(QPen(themeColor(ThemeColor::Warn, palette), 1.5));
        painter.drawRoundedRect(QRectF(center.x() - 4, center.y() - 4, 8, 8), 1.5, 1.5);
        break;
    }
}

MetricTile::MetricTile(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void MetricTile::set(const MetricDisplay &figure)
{
    if (m_figure == figure)
        return;
    m_figure = figure;
    setAccessibleName(figure.label);
    setAccessibleDescription(figure.value + u' ' + figure.unit + QStringLiteral(", ") +
                             inSentence(sourceName(figure.source)) +
                             (figure.detail.isEmpty() ? QString() : QStringLiteral(", ") + figure.detail));
    setToolTip(
        figure.tip.isEmpty() ? QString() : tipText(sourceName(figure.source) + QStringLiteral(". ") + figure.tip));
    updateGeometry();
    update();
}

QSize MetricTile::minimumSizeHint() const
{
    const QFontMetrics small(smallFont()), large(fontOf(TextKind::Figure));
    const int value = large.horizontalAdvance(m_figure.value) +
                      (m_figure.unit.isEmpty() ? 0 : 5 + small.horizontalAdvance(m_figure.unit));
    const int detail = small.horizontalAdvance(m_figure.detail);
    return {
        std::max({value, small.horizontalAdvance(m_figure.label) + 16, detail <= kShortDetail ? detail : 0}) + 2 * kPad,
        2 * 11 + 2 * small.height() + large.height() + 6};
}

QSize MetricTile::sizeHint() const
{
    const QFontMetrics small(smallFont());
    return minimumSizeHint().expandedTo({small.horizontalAdvance(m_figure.detail) + 2 * kPad, 0});
}

void MetricTile::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColor(ThemeColor::Border, palette()), 1));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 9, 9);

    const QFont small = smallFont(), large = fontOf(TextKind::Figure);
    const QFontMetrics smallMetrics(small), largeMetrics(large);
    const QColor muted = themeColor(ThemeColor::Muted, palette());
    double y = 11;
    painter.setFont(small);
    painter.setPen(muted);
    painter.drawText(QPointF(kPad, y + smallMetrics.ascent()),
        smallMetrics.elidedText(m_figure.label, Qt::ElideRight, width() - 2 * kPad - 12));
    paintSource(painter, {width() - kPad - 3.0, y + smallMetrics.height() / 2.0}, m_figure.source, palette());
    y += smallMetrics.height() + 3;
    painter.setFont(large);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QPointF(kPad, y + largeMetrics.ascent()), m_figure.value);
    painter.setFont(small);
    painter.setPen(muted);
    painter.drawText(
        QPointF(kPad + largeMetrics.horizontalAdvance(m_figure.value) + 5, y + largeMetrics.ascent()), m_figure.unit);
    y += largeMetrics.height() + 3;
    painter.drawText(QPointF(kPad, y + smallMetrics.ascent()),
        smallMetrics.elidedText(m_figure.detail, Qt::ElideRight, width() - 2 * kPad));
}

SourceLegend::SourceLegend(std::initializer_list<Source> sources, QWidget *parent) : QWidget(parent), m_sources(sources)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFont(smallFont());
}

QSize SourceLegend::sizeHint() const
{
    const QFontMetrics metrics(font());
    int width = 0;
    for (const Source source : m_sources)
        width += metrics.horizontalAdvance(sourceName(source)) + 32;
    return {width, metrics.height() + 4};
}

void SourceLegend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    const QFontMetrics metrics(font());
    double x = 6;
    for (const Source source : m_sources) {
        paintSource(painter, {x, height() / 2.0}, source, palette());
        painter.setPen(themeColor(ThemeColor::Muted, palette()));
        painter.drawText(QPointF(x + 10, (height() - metrics.height()) / 2.0 + metrics.ascent()), sourceName(source));
        x += metrics.horizontalAdvance(sourceName(source)) + 32;
    }
}

} // namespace slipway::ui
