// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/heat_map.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_tooltip.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

constexpr double kGap = 2, kTallest = 240, kWidest = 360;

// The relative luminance of a color and the contrast ratio, as defined by WCAG 2.1.
double luminance(const QColor &color)
{
    const auto linear = [](float part) {
        return part <= 0.04045F ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

} // namespace

HeatMap::HeatMap(QWidget *parent) : SelectableChart(parent)
{
    offerTable(*this, [this] { return table(); });
}

ChartTable HeatMap::table() const
{
    ChartTable table{.columns = {m_data.rowTitle + QStringLiteral(" / ") + m_data.columnTitle}};
    for (const QString &column : m_data.columns)
        table.columns << column;
    for (std::size_t row = 0; row < m_data.rows.size(); ++row) {
        QStringList cells{m_data.rows[row]};
        for (std::size_t column = 0; column < m_data.columns.size(); ++column) {
            const HeatCell &shown = cell(row * m_data.columns.size() + column);
            cells << (shown.kind == HeatCell::Kind::Value     ? shown.text
                      : shown.kind == HeatCell::Kind::Missing ? m_data.missingText
                                                              : QString());
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

void HeatMap::setData(HeatData data)
{
    m_data = std::move(data);
    std::vector<std::optional<std::size_t>> ids;
    for (const HeatCell &c : m_data.cells)
        ids.push_back(c.kind == HeatCell::Kind::Nothing ? std::nullopt : std::optional(c.id));
    setItems(std::move(ids), m_data.columns.size());
    m_low = 1e300;
    m_high = -1e300;
    for (const HeatCell &c : m_data.cells) {
        if (c.kind == HeatCell::Kind::Value) {
            m_low = std::min(m_low, c.value);
            m_high = std::max(m_high, c.value);
        }
    }
    setAccessibleName(m_data.rowTitle + QStringLiteral(" × ") + m_data.columnTitle);
    update();
}

QRectF HeatMap::area() const
{
    const QFontMetricsF metrics(font());
    double names = metrics.horizontalAdvance(m_data.rowTitle);
    for (const QString &row : m_data.rows)
        names = std::max(names, metrics.horizontalAdvance(row));
    return QRectF(rect()).adjusted(names + 22, 2 * metrics.height() + 14, -8, -8);
}

QRectF HeatMap::cellRect(std::size_t row, std::size_t column) const
{
    const QRectF all = area();
    const double width =
        std::min(kWidest, all.width() / static_cast<double>(std::max<std::size_t>(1, m_data.columns.size())));
    const double height =
        std::min(kTallest, all.height() / static_cast<double>(std::max<std::size_t>(1, m_data.rows.size())));
    return QRectF(
        all.left() + width * static_cast<double>(column), all.top() + height * static_cast<double>(row), width, height)
        .adjusted(0, 0, -kGap, -kGap);
}

QRectF HeatMap::itemRect(std::size_t item) const
{
    return cellRect(item / m_data.columns.size(), item % m_data.columns.size());
}

void HeatMap::drawTitles(QPainter &painter) const
{
    const QFontMetricsF metrics(font());
    const QRectF all = area();
    painter.setPen(themeColor(ThemeColor::Muted, palette()));
    painter.drawText(QRectF(all.left(), 2, all.width(), metrics.height()), Qt::AlignLeft, m_data.columnTitle);
    painter.drawText(QRectF(8, all.top() - metrics.height() - 6, all.left() - 18, metrics.height()), Qt::AlignRight,
        m_data.rowTitle);
    painter.setPen(themeColor(ThemeColor::Text, palette()));
    for (std::size_t c = 0; c < m_data.columns.size(); ++c) {
        const QRectF box = cellRect(0, c);
        painter.drawText(QRectF(box.left(), all.top() - metrics.height() - 6, box.width(), metrics.height()),
            Qt::AlignCenter, metrics.elidedText(m_data.columns[c], Qt::ElideMiddle, box.width()));
    }
    for (std::size_t r = 0; r < m_data.rows.size(); ++r) {
        const QRectF box = cellRect(r, 0);
        painter.drawText(
            QRectF(8, box.top(), all.left() - 18, box.height()), Qt::AlignRight | Qt::AlignVCenter, m_data.rows[r]);
    }
}

void HeatMap::drawCell(QPainter &painter, std::size_t index) const
{
    const HeatCell &c = cell(index);
    const QRectF box = itemRect(index);
    const QFontMetricsF metrics(font());
    painter.setPen(Qt::NoPen);
    if (c.kind != HeatCell::Kind::Value) {
        painter.setBrush(themeColor(ThemeColor::Raised, palette()));
        painter.drawRect(box);
        if (c.kind == HeatCell::Kind::Missing) {
            painter.setBrush(QBrush(themeColor(ThemeColor::Border, palette()), Qt::BDiagPattern));
            painter.drawRect(box);
            painter.setPen(themeColor(ThemeColor::Bad, palette()));
            painter.drawText(box, Qt::AlignCenter, m_data.missingText);
        }
        return;
    }
    const double part = m_high > m_low ? (c.value - m_low) / (m_high - m_low) : 1;
    const double weight = 0.08 + 0.82 * (m_data.lowIsGood ? 1 - part : part);
    const QColor ground =
        blended(themeColor(ThemeColor::Accent, palette()), themeColor(ThemeColor::Surface, palette()), weight);
    painter.setBrush(ground);
    painter.drawRect(box);
    const QColor text = themeColor(ThemeColor::Text, palette()), onAccent = themeColor(ThemeColor::OnAccent, palette());
    painter.setPen(contrast(text, ground) >= contrast(onAccent, ground) ? text : onAccent);
    if (metrics.horizontalAdvance(c.text) < box.width() - 4)
        painter.drawText(box, Qt::AlignCenter, c.text);
}

void HeatMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    if (m_data.columns.empty())
        return;
    drawTitles(painter);
    for (std::size_t i = 0; i < m_data.cells.size(); ++i)
        drawCell(painter, i);
    drawFocus(painter);
    if (!picked())
        return;
    const QRectF box = itemRect(*picked());
    painter.setPen(QPen(themeColor(ThemeColor::Text, palette()), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    if (m_data.describe)
        drawTooltip(painter, QRectF(rect()).adjusted(2, 2, -2, -2), {box.right() - 8, box.center().y()},
            m_data.describe(cell(*picked()).id), palette());
}

} // namespace slipway::ui
