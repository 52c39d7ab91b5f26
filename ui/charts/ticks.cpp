// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace slipway::ui {

namespace {

struct Scale {
    double unit;
    QChar suffix;
};

Scale scaleOf(double magnitude)
{
    if (magnitude >= 1e12)
        return {1e12, u'T'};
    if (magnitude >= 1e9)
        return {1e9, u'B'};
    if (magnitude >= 1e6)
        return {1e6, u'M'};
    if (magnitude >= 1e4)
        return {1e3, u'K'};
    return {1.0, QChar()};
}

QString withSuffix(double value, const Scale &scale, int decimals)
{
    QString text = QString::number(value / scale.unit, 'f', decimals);
    if (!scale.suffix.isNull())
        text += scale.suffix;
    return text;
}

} // namespace

std::vector<double> niceTicks(double low, double high, int count)
{
    std::vector<double> ticks;
    if (!(high > low) || count < 1 || !std::isfinite(high - low))
        return ticks;
    const double rough = (high - low) / count;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power * 1.0001) {
            step = factor * power;
            break;
        }
    }
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    for (double i = first; i <= last; i += 1.0)
        ticks.push_back(i == 0.0 ? 0.0 : i * step);
    return ticks;
}

QString compactNumber(double value, double step)
{
    if (value == 0.0)
        return QStringLiteral("0");
    const Scale scale = scaleOf(std::max(std::abs(value), step));
    const double relative = step / scale.unit;
    const int decimals = relative > 0.0 ? std::clamp(static_cast<int>(-std::floor(std::log10(relative) + 1e-9)), 0, 6) : 2;
    return withSuffix(value, scale, decimals);
}

QString readingNumber(double value)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const Scale scale = scaleOf(std::abs(value));
    const double scaled = std::abs(value / scale.unit);
    if (scaled != 0.0 && scaled < 1e-3)
        return QString::number(value, 'g', 3);
    const int decimals = scaled >= 1000 ? 0 : scaled >= 100 ? 1 : scaled >= 10 ? 2 : scaled >= 1 ? 3 : 4;
    if (scale.unit == 1.0 && value == std::floor(value))
        return QString::number(value, 'f', 0);
    return withSuffix(value, scale, decimals);
}

} // namespace slipway::ui
