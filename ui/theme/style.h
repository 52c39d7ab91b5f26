// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The Fusion style with flat fields, buttons, headers and scroll bars. It draws only with the palette of the widget, so
// it suits both light and dark.
#pragma once

#include <QProxyStyle>

namespace slipway::ui {

// Dynamic properties that the style reads: "primary" and "danger" on buttons, "quiet" on buttons without a frame,
// "invalid" on fields.
inline constexpr const char *kPrimary = "primary";
inline constexpr const char *kInvalid = "invalid";
inline constexpr const char *kQuiet = "quiet";
inline constexpr const char *kDanger = "danger";

class Style : public QProxyStyle {
    Q_OBJECT
public:
    Style();

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const override;
    void drawControl(
        ControlElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
        const QWidget *widget) const override;
    QSize sizeFromContents(
        ContentsType type, const QStyleOption *option, const QSize &size, const QWidget *widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl part,
        const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    int styleHint(
        StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *data) const override;
    void polish(QWidget *widget) override;
    using QProxyStyle::polish;

private:
    void drawButtonLabel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
    void drawComboBoxLabel(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
};

} // namespace slipway::ui
