// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/text.h"

#include <QApplication>
#include <QFontDatabase>
#include <QLocale>
#include <QTextDocument>

namespace slipway::ui {

QFont fontOf(TextKind kind)
{
    QFont font = QApplication::font();
    const auto scale = [&font](double factor) { font.setPointSizeF(font.pointSizeF() * factor); };
    switch (kind) {
    case TextKind::Title: scale(1.5); font.setWeight(QFont::DemiBold); break;
    case TextKind::Section: font.setWeight(QFont::DemiBold); break;
    case TextKind::Figure: scale(1.55); font.setWeight(QFont::DemiBold); break;
    case TextKind::Strong: font.setWeight(QFont::DemiBold); break;
    case TextKind::Small:
    case TextKind::Muted: scale(0.9); break;
    case TextKind::Mono: {
        QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        mono.setPointSizeF(font.pointSizeF() * 0.9);
        return mono;
    }
    case TextKind::Body: break;
    }
    return font;
}

QLabel *makeLabel(const QString &text, TextKind kind, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setFont(fontOf(kind));
    label->setTextFormat(Qt::PlainText);
    if (kind == TextKind::Muted)
        label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QString grouped(std::int64_t count)
{
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

QString counted(std::int64_t count, const QString &one, const QString &many)
{
    return (count == 1 ? one : many).arg(grouped(count));
}

QString tipText(const QString &text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

} // namespace slipway::ui
