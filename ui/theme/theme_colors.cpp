// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/theme/theme_colors.h"

#include <array>

namespace slipway::ui {

namespace {

struct Pair {
    QRgb light;
    QRgb dark;
};

// In the order of ThemeColor.
constexpr std::array<Pair, 20> kInks{{
    {0xfff4f6f8, 0xff12151a}, // Window
    {0xffffffff, 0xff1a1f26}, // Surface
    {0xffedf1f5, 0xff252c35}, // Raised
    {0xffdbe1e7, 0xff303945}, // Border
    {0xffe8ecf0, 0xff272f39}, // Grid
    {0xff161b22, 0xffe7ebf0}, // Text
    {0xff56616d, 0xff98a5b3}, // Muted
    {0xff1f5fc4, 0xff7fb0ff}, // Accent
    {0xffe6effc, 0xff1d2f4c}, // AccentWash
    {0xffffffff, 0xff0b1a30}, // OnAccent
    {0xff14753f, 0xff57cc8c}, // Good
    {0xffe2f4e9, 0xff15321f}, // GoodWash
    {0xff8f5a00, 0xffeab755}, // Warn
    {0xfffcf0d6, 0xff392b10}, // WarnWash
    {0xffbb2a23, 0xffff8a80}, // Bad
    {0xfffde7e5, 0xff421d1b}, // BadWash
    {0xff1f5fc4, 0xff7fb0ff}, // Measured
    {0xff7a5ba8, 0xffc3a6ee}, // Predicted
    {0xffeee8f6, 0xff2f2840}, // PredictedWash
    {0xffbdd2f0, 0xff34507c}, // Raw
}};

// In the order of Role.
constexpr std::array<Pair, 8> kRoles{{
    {0xff1d4f91, 0xff549cf8}, // parameters
    {0xff4e95e0, 0xff2f5f9e}, // master weights
    {0xff9cc4ee, 0xff9cc4ee}, // gradients
    {0xff6b58b8, 0xff8a73d3}, // optimizer
    {0xffe0812a, 0xffe8903c}, // activations
    {0xfff3c04c, 0xfff0c862}, // logits
    {0xff279284, 0xff37a997}, // communication
    {0xff9aa5b1, 0xff6f7c8a}, // workspace
}};

// In the order of CostClass.
constexpr std::array<Pair, 6> kCosts{{
    {0xff1d4f91, 0xff549cf8}, // gemm
    {0xffe0812a, 0xffe8903c}, // attention
    {0xff9cc4ee, 0xff9cc4ee}, // elementwise
    {0xfff3c04c, 0xfff0c862}, // loss
    {0xff6b58b8, 0xff8a73d3}, // optimizer
    {0xff279284, 0xff37a997}, // communication
}};

constexpr std::array<Pair, kSeriesHues> kSeries{{
    {0xff0e629e, 0xff75b4e9}, // blue
    {0xffad4700, 0xfff89747}, // vermilion
    {0xff057a57, 0xff40cb97}, // green
    {0xffa54281, 0xffed8dc4}, // purple
    {0xffa9800c, 0xfff2d262}, // yellow
    {0xff3d97c6, 0xffb3def5}, // sky
    {0xff574fb3, 0xffa1a0fd}, // violet
    {0xff7d7b7c, 0xffc2c1be}, // grey
}};

QColor pick(const Pair &pair, bool dark) { return QColor::fromRgb(dark ? pair.dark : pair.light); }

} // namespace

QColor themeColor(ThemeColor id, bool dark) { return pick(kInks[static_cast<std::size_t>(id)], dark); }

QColor seriesColor(std::size_t n, bool dark) { return pick(kSeries[n % kSeries.size()], dark); }

QColor roleColor(Role role, bool dark) { return pick(kRoles[static_cast<std::size_t>(role)], dark); }

QColor costColor(CostClass kind, bool dark) { return pick(kCosts[static_cast<std::size_t>(kind)], dark); }

bool isDark(const QPalette &palette) { return palette.color(QPalette::Active, QPalette::Window).lightness() < 128; }

QColor blended(const QColor &over, const QColor &under, double alpha)
{
    const auto mix = [alpha](double a, double b) { return static_cast<float>(a * alpha + b * (1.0 - alpha)); };
    return QColor::fromRgbF(
        mix(over.redF(), under.redF()), mix(over.greenF(), under.greenF()), mix(over.blueF(), under.blueF()));
}

QPalette applicationPalette(bool dark)
{
    const auto of = [dark](ThemeColor id) { return themeColor(id, dark); };
    QPalette palette(of(ThemeColor::Raised), of(ThemeColor::Window));
    palette.setColor(QPalette::WindowText, of(ThemeColor::Text));
    palette.setColor(QPalette::Base, of(ThemeColor::Surface));
    palette.setColor(QPalette::AlternateBase, of(ThemeColor::Window));
    palette.setColor(QPalette::Text, of(ThemeColor::Text));
    palette.setColor(QPalette::ButtonText, of(ThemeColor::Text));
    palette.setColor(QPalette::PlaceholderText, of(ThemeColor::Muted));
    palette.setColor(QPalette::BrightText, of(ThemeColor::Bad));
    palette.setColor(QPalette::Link, of(ThemeColor::Accent));
    palette.setColor(QPalette::LinkVisited, of(ThemeColor::Accent));
    palette.setColor(QPalette::Highlight, of(ThemeColor::Accent));
    palette.setColor(QPalette::HighlightedText, of(ThemeColor::OnAccent));
    palette.setColor(QPalette::ToolTipBase, of(ThemeColor::Surface));
    palette.setColor(QPalette::ToolTipText, of(ThemeColor::Text));
    palette.setColor(QPalette::Mid, of(ThemeColor::Border));
    palette.setColor(QPalette::Midlight, of(ThemeColor::Grid));
    palette.setColor(QPalette::Dark, of(ThemeColor::Border));
    palette.setColor(QPalette::Light, of(ThemeColor::Surface));
    palette.setColor(QPalette::Shadow, of(ThemeColor::Border));
    const QColor faded = blended(of(ThemeColor::Muted), of(ThemeColor::Surface), 0.6);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faded);
    return palette;
}

} // namespace slipway::ui
