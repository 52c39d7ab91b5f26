// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/legend.h"

#include <QPainter>

#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kMarkWidth = 18;
constexpr int kGap = 18;
constexpr int kLine = 6; // space between lines in pixels

void paintMark(QPainter &painter, const QRectF &box, const LegendEntry &entry, bool dark)
{
    const QColor color = dark ? entry.dark : entry.light;
    const QPointF c = box.center();
    switch (entry.mark) {
    case LegendMark::Square:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(c.x() - 5, c.y() - 5, 10, 10), 2.5, 2.5);
        break;
    case LegendMark::Band:
        painter.setPen(QPen(themeColor(ThemeColor::Predicted, dark), 0.8));
        painter.setBrush(color);
        painter.drawRect(QRectF(c.x() - 6, c.y() - 5, 12, 10));
        break;
    case LegendMark::Line:
    case LegendMark::Dashes:
        painter.setPen(QPen(color, 2, entry.mark == LegendMark::Line ? Qt::SolidLine : Qt::DotLine));
        painter.drawLine(QPointF(c.x() - 6, c.y()), QPointF(c.x() + 6, c.y()));
        if (entry.shape > 0) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            drawSeriesMark(painter, entry.shape, c, 3.4);
        }
        break;
    case LegendMark::Cross:
        painter.setPen(QPen(color, 1.6));
        painter.drawLine(box.center() + QPointF(-3, -3), box.center() + QPointF(3, 3));
        painter.drawLine(box.center() + QPointF(-3, 3), box.center() + QPointF(3, -3));
        break;
    case LegendMark::Dot:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        drawSeriesMark(painter, entry.shape, c, 3.8);
        break;
    }
}

} // namespace

Legend::Legend(Form form, QWidget *parent) : QWidget(parent), m_form(form)
{
    setFont(fontOf(TextKind::Small));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::set(std::vector<LegendEntry> entries)
{
    m_entries = std::move(entries);
    QStringList words;
    for (const LegendEntry &entry : m_entries)
        words << entry.name + u' ' + entry.value;
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    if (width() > 0)
        setMinimumHeight(heightForWidth(width()));
    updateGeometry();
    update();
}

int Legend::entryWidth(const LegendEntry &entry) const
{
    const QFontMetrics metrics(font());
    return kMarkWidth + metrics.horizontalAdvance(entry.name) +
           (entry.value.isEmpty() ? 0 : 6 + metrics.horizontalAdvance(entry.value)) + 2;
}

std::vector<QRect> Legend::places(int width) const
{
    const int height = QFontMetrics(font()).height();
    std::vector<QRect> rects;
    int x = 0, y = 0;
    for (const LegendEntry &entry : m_entries) {
        const int size = m_form == Form::List ? width : entryWidth(entry);
        if (x > 0 && x + size > width) {
            x = 0;
            y += height + kLine;
        }
        rects.emplace_back(x, y, size, height);
        x += size + kGap;
    }
    return rects;
}

int Legend::heightForWidth(int width) const
{
    const std::vector<QRect> rects = places(width);
    return rects.empty() ? 0 : rects.back().bottom() + 2;
}

QSize Legend::sizeHint() const
{
    const int wide = m_form == Form::List ? 240 : 500;
    return {wide, heightForWidth(std::max(width(), wide))};
}

QSize Legend::minimumSizeHint() const { return {160, heightForWidth(std::max(width(), 160))}; }

void Legend::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    setMinimumHeight(heightForWidth(width()));
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    const QFontMetrics metrics(font());
    const bool dark = isDark(palette());
    const std::vector<QRect> rects = places(width());
    for (std::size_t i = 0; i < rects.size(); ++i) {
        const QRect &rect = rects[i];
        const LegendEntry &entry = m_entries[i];
        paintMark(painter, QRectF(rect.left(), rect.top(), 12, rect.height()), entry, dark);
        const QRect words = rect.adjusted(kMarkWidth, 0, 0, 0);
        painter.setPen(themeColor(ThemeColor::Muted, palette()));
        if (m_form == Form::Flow) {
            painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, entry.name);
            painter.setPen(palette().color(QPalette::Text));
            painter.drawText(words.adjusted(metrics.horizontalAdvance(entry.name) + 6, 0, 0, 0),
                Qt::AlignLeft | Qt::AlignVCenter, entry.value);
            continue;
        }
        const int share = metrics.horizontalAdvance(QStringLiteral("100.0 %")) + 8;
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, entry.share);
        const int room = words.width() - share - metrics.horizontalAdvance(entry.value) - 8;
        painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(entry.name, Qt::ElideRight, room));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(words.adjusted(0, 0, -share, 0), Qt::AlignRight | Qt::AlignVCenter, entry.value);
    }
}

} // namespace slipway::ui
