// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/text.h"

#include <QDir>
#include <QRegularExpression>
#include <QApplication>
#include <QFontDatabase>
#include <QLocale>
#include <QPainter>
#include <QStyle>
#include <QTextDocument>

namespace slipway::ui {

namespace {

class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        const QString tip = shown == text() ? QString() : tipText(text());
        if (toolTip() != tip)
            setToolTip(tip);
        QPainter painter(this);
        style()->drawItemText(
            &painter, rect(), Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), shown, foregroundRole());
    }
};

QLabel *styled(QLabel *label, TextKind kind)
{
    label->setFont(fontOf(kind));
    label->setTextFormat(Qt::PlainText);
    if (kind == TextKind::Muted)
        label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

QFont fontOf(TextKind kind)
{
    QFont font = QApplication::font();
    const auto scale = [&font](double factor) { font.setPointSizeF(font.pointSizeF() * factor); };
    switch (kind) {
    case TextKind::Title:
        scale(1.5);
        font.setWeight(QFont::DemiBold);
        break;
    case TextKind::Section:
        font.setWeight(QFont::DemiBold);
        break;
    case TextKind::Figure:
        scale(1.55);
        font.setWeight(QFont::DemiBold);
        break;
    case TextKind::Strong:
        font.setWeight(QFont::DemiBold);
        break;
    case TextKind::Small:
    case TextKind::Muted:
        scale(0.9);
        break;
    case TextKind::Mono: {
        QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        mono.setPointSizeF(font.pointSizeF() * 0.9);
        return mono;
    }
    case TextKind::Body:
        break;
    }
    return font;
}

QLabel *makeLabel(const QString &text, TextKind kind, QWidget *parent)
{
    return styled(new QLabel(text, parent), kind);
}

QLabel *makeElidedLabel(const QString &text, TextKind kind) { return styled(new ElidedLabel(text), kind); }

QString capitalized(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

QString sentence(const QString &text)
{
    // Names that users type, such as bf16-mixed, micro_batch or config.json, are not capitalized.
    static const QRegularExpression kWord(QStringLiteral("^\\p{L}+(?=[\\s,;:]|$)"));
    const QString begun = kWord.match(text).hasMatch() ? capitalized(text) : text;
    return begun.isEmpty() || QStringLiteral(".!?…").contains(begun.back()) ? begun : begun + u'.';
}

QString grouped(std::int64_t count)
{
    const QLocale locale;
    return (locale.language() == QLocale::C ? QLocale(QLocale::English) : locale)
        .toString(static_cast<qlonglong>(count));
}

QString counted(std::int64_t count, const QString &one, const QString &many)
{
    return (count == 1 ? one : many).arg(grouped(count));
}

std::filesystem::path pathFrom(const QString &text)
{
    return (text == QStringLiteral("~") ? QDir::homePath() : withHome(text)).toStdString();
}

QString withHome(const QString &paths)
{
    static const QRegularExpression kHome(QStringLiteral("(^|,)~(?=/)"));
    return QString(paths).replace(kHome, QStringLiteral("\\1") + QDir::homePath());
}

QString tipText(const QString &text) { return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text; }

} // namespace slipway::ui
