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
    {0xff1d4f91, 0xff4f8bdc}, // parameters
    {0xff4a8fd8, 0xff2f5f9e}, // masters
    {0xff9cc4ee, 0xff9cc4ee}, // gradients
    {0xff6b58b8, 0xff8f7be0}, // optimizer
    {0xffe0812a, 0xffe8903c}, // activations
    {0xfff3c04c, 0xfff0c862}, // logits
    {0xff2a9486, 0xff35a897}, // communication
    {0xff9aa5b1, 0xff74808d}, // workspace
}};

// In the order of CostClass.
constexpr std::array<Pair, 6> kCosts{{
    {0xff1d4f91, 0xff4f8bdc}, // gemm
    {0xffe0812a, 0xffe8903c}, // attention
    {0xff9cc4ee, 0xff9cc4ee}, // elementwise
    {0xfff3c04c, 0xfff0c862}, // loss
    {0xff6b58b8, 0xff8f7be0}, // optimizer
    {0xff2a9486, 0xff35a897}, // communication
}};

constexpr std::array<Pair, 8> kSeries{{
    {0xff0067a5, 0xff6cb4ee}, // blue
    {0xffc25700, 0xffff9d4d}, // vermilion
    {0xff007a5a, 0xff3fcf9f}, // green
    {0xffa8437f, 0xfff08fc4}, // purple
    {0xff9a7400, 0xfff0d060}, // yellow
    {0xff3d97c6, 0xffb3def5}, // sky
    {0xff5a4fb0, 0xffaaa0f5}, // violet
    {0xff6b6b6b, 0xffb8b8b8}, // grey
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
