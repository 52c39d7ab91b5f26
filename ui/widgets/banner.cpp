// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/banner.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

#include "ui/theme/style.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

Banner::Banner(Pill::Tone tone, QWidget *parent) : QWidget(parent), m_tone(tone), m_label(makeLabel({}, TextKind::Body))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(18, 10, 14, 10);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_label, 1);
    hide();
}

void Banner::setText(const QString &text)
{
    m_label->setText(text);
    setAccessibleName(text);
    setVisible(!text.isEmpty());
}

QPushButton *Banner::addButton(const QString &text)
{
    auto *button = new QPushButton(text);
    button->setProperty(kQuiet, true);
    layout()->addWidget(button);
    return button;
}

void Banner::paintEvent(QPaintEvent *)
{
    const bool bad = m_tone == Pill::Tone::Bad, warns = m_tone == Pill::Tone::Warn;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(themeColor(bad     ? ThemeColor::BadWash
                                : warns ? ThemeColor::WarnWash
                                        : ThemeColor::AccentWash,
        palette()));
    painter.drawRoundedRect(rect(), 8, 8);
    painter.setBrush(themeColor(bad ? ThemeColor::Bad : warns ? ThemeColor::Warn : ThemeColor::Accent, palette()));
    painter.drawRoundedRect(QRectF(0, 0, 5, height()), 2.5, 2.5);
}

} // namespace slipway::ui
