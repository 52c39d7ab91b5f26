// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/card.h"

#include <QPainter>

#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

Card::Card(const QString &title, QWidget *parent)
    : QWidget(parent),
      m_titleRow(new QHBoxLayout),
      m_title(makeLabel(title, TextKind::Section)),
      m_hint(makeElidedLabel({}, TextKind::Muted)),
      m_body(new QVBoxLayout)
{
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(16, 12, 16, 14);
    outer->setSpacing(8);
    m_titleRow->setSpacing(8);
    m_titleRow->addWidget(m_title);
    m_titleRow->addWidget(m_hint, 1);
    outer->addLayout(m_titleRow);
    m_body->setSpacing(6);
    outer->addLayout(m_body, 1);
    m_title->setVisible(!title.isEmpty());
    m_hint->setVisible(!title.isEmpty());
}

void Card::setTitle(const QString &title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
    m_hint->setVisible(!title.isEmpty());
}

void Card::setHint(const QString &hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(true);
}

void Card::addToTitle(QWidget *widget) { m_titleRow->addWidget(widget); }

void Card::fitTitle(int width)
{
    const QMargins margins = layout()->contentsMargins();
    m_titleRow->setDirection(QBoxLayout::LeftToRight);
    const bool fits = m_titleRow->minimumSize().width() + margins.left() + margins.right() <= width;
    m_titleRow->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_hint->setVisible(fits ? !m_title->text().isEmpty() : !m_hint->text().isEmpty());
}

void Card::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColor(ThemeColor::Border, palette()), 1));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 9, 9);
}

namespace {

struct ToneInks {
    ThemeColor ground, words;
};

ToneInks inksOf(Pill::Tone tone)
{
    switch (tone) {
    case Pill::Tone::Accent:
        return {ThemeColor::AccentWash, ThemeColor::Accent};
    case Pill::Tone::Good:
        return {ThemeColor::GoodWash, ThemeColor::Good};
    case Pill::Tone::Warn:
        return {ThemeColor::WarnWash, ThemeColor::Warn};
    case Pill::Tone::Bad:
        return {ThemeColor::BadWash, ThemeColor::Bad};
    case Pill::Tone::Neutral:
        break;
    }
    return {ThemeColor::Raised, ThemeColor::Muted};
}

} // namespace

void paintPill(QPainter &painter, const QRectF &box, const QString &text, Pill::Tone tone, const QPalette &palette)
{
    const ToneInks classes = inksOf(tone);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(blended(themeColor(classes.words, palette), themeColor(classes.ground, palette), 0.25),
        1)); // keeps the pill visible on any background
    painter.setBrush(themeColor(classes.ground, palette));
    const QRectF pill = box.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(themeColor(classes.words, palette));
    painter.drawText(box, Qt::AlignCenter, text);
}

Pill::Pill(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFont(fontOf(TextKind::Strong));
}

void Pill::set(const QString &text, Tone tone)
{
    m_text = text;
    m_tone = tone;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Pill::setLarge(bool large)
{
    m_large = large;
    QFont font = fontOf(TextKind::Strong);
    if (large)
        font.setPointSizeF(font.pointSizeF() * 1.35);
    setFont(font);
    updateGeometry();
}

QSize Pill::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_text) + (m_large ? 32 : 20), metrics.height() + (m_large ? 12 : 6)};
}

void Pill::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    paintPill(painter, rect(), m_text, m_tone, palette());
}

} // namespace slipway::ui
