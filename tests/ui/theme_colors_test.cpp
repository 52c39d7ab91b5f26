// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Colors that mean different things look different to everybody. The matrices are those of Machado, Oliveira and
// Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency", at severity 1.
#include <QTableWidget>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "ui/runs/run_legend.h"
#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

struct Sight {
    const char *name;
    Matrix matrix;
};

constexpr std::array<Sight, 4> kSights{{
    {"full color vision", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
        {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
        {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
        {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

// Of sRGB (IEC 61966-2-1) to linear light, of D65 to XYZ.
constexpr Matrix kToXyz{
    {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
constexpr Triple kWhite{0.95047, 1, 1.08883};

Triple times(const Matrix &matrix, const Triple &v)
{
    Triple product{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < 3; ++i)
            product[row] += matrix[row][i] * v[i];
    }
    return product;
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Triple light(const QColor &color) { return {linear(color.redF()), linear(color.greenF()), linear(color.blueF())}; }

// CIE L*a*b* of 1976.
Triple lab(const QColor &color, const Sight &sight)
{
    Triple seen = times(sight.matrix, light(color));
    for (double &channel : seen)
        channel = std::clamp(channel, 0.0, 1.0);
    Triple f = times(kToXyz, seen);
    for (std::size_t i = 0; i < 3; ++i) {
        const double t = f[i] / kWhite[i];
        f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double distance(const Triple &a, const Triple &b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double contrast(const QColor &a, const QColor &b)
{
    const double one = times(kToXyz, light(a))[1] + 0.05, other = times(kToXyz, light(b))[1] + 0.05;
    return std::max(one, other) / std::min(one, other);
}

// A difference of 2.3 is just noticeable side by side; lines and areas are apart, and thin.
constexpr double kLeastDistance = 11;

struct Palette {
    const char *name;
    std::size_t size;
    std::function<QColor(std::size_t, bool)> color;
};

TEST(ThemeColors, OfOneChartAreToldApartWithEveryKindOfColorVision)
{
    const std::array palettes{Palette{"series", kSeriesHues, seriesColor},
        Palette{"memory", EnumNames<Role>::names.size(),
            [](std::size_t n, bool dark) { return roleColor(static_cast<Role>(n), dark); }},
        Palette{"kernels", EnumNames<CostClass>::names.size(),
            [](std::size_t n, bool dark) { return costColor(static_cast<CostClass>(n), dark); }}};
    for (const Palette &palette : palettes) {
        for (const bool dark : {false, true}) {
            for (const Sight &sight : kSights) {
                for (std::size_t a = 0; a < palette.size; ++a) {
                    for (std::size_t b = 0; b < a; ++b)
                        EXPECT_GE(distance(lab(palette.color(a, dark), sight), lab(palette.color(b, dark), sight)),
                            kLeastDistance)
                            << palette.name << ' ' << b << " and " << a << (dark ? ", dark, " : ", light, ")
                            << sight.name;
                }
            }
        }
    }
}

TEST(ThemeColors, OfCurvesStandOutFromTheCardBehindThem)
{
    for (std::size_t n = 0; n < kSeriesHues; ++n) {
        for (const bool dark : {false, true})
            EXPECT_GE(contrast(seriesColor(n, dark), themeColor(ThemeColor::Surface, dark)), 3.0)
                << n << (dark ? ", dark" : ", light");
    }
}

TEST(ThemeColors, OfATableReachToItsEndBesideAndBelowItsRows)
{
    QTableWidget table(1, 1);
    table.setFrameShape(QFrame::NoFrame);
    table.resize(300, 300);
    table.setAttribute(Qt::WA_DontShowOnScreen);
    table.show();
    const QImage picture = table.grab().toImage();
    const QColor ground = table.palette().color(QPalette::Base);
    for (const QPoint at : {QPoint(3, 296), QPoint(296, 296)})
        EXPECT_EQ(picture.pixelColor(at).name(), ground.name()) << at.x();
}

TEST(SeriesMarks, NeighborsDifferInShapeAndDash)
{
    for (std::size_t n = 1; n < kSeriesShapes; ++n) {
        EXPECT_NE(seriesShape(n, {}, 4), seriesShape(n - 1, {}, 4)) << n;
        EXPECT_NE(runLineStyle(n).style, runLineStyle(n - 1).style) << n;
    }
    EXPECT_EQ(runLineStyle(0).style, Qt::SolidLine);
}

} // namespace
} // namespace slipway::ui
