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

// Returns the multiples of `step` within [low, high].
std::vector<double> multiples(double low, double high, double step)
{
    std::vector<double> ticks;
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    for (int i = 0; first + i <= last; ++i)
        ticks.push_back((first + i) * step);
    return ticks;
}

} // namespace

std::vector<double> niceTicks(double low, double high, int count)
{
    if (!(high > low) || count < 1 || !std::isfinite(high - low))
        return {};
    const double rough = (high - low) / count;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power * 1.0001) {
            step = factor * power;
            break;
        }
    }
    return multiples(low, high, step);
}

std::vector<double> wholeTicks(double low, double high, int count)
{
    if (!(high > low) || count < 1 || !std::isfinite(high - low))
        return {};
    return (high - low) / count < 1 ? multiples(low, high, 1) : niceTicks(low, high, count);
}

std::vector<double> timeTicks(double low, double high, int count)
{
    if (!(high > low) || count < 1 || !std::isfinite(high - low))
        return {};
    constexpr double kDay = 86400;
    const double rough = (high - low) / count;
    if (rough < 1 || rough > kDay) {
        std::vector<double> ticks = niceTicks(low / (rough < 1 ? 1 : kDay), high / (rough < 1 ? 1 : kDay), count);
        for (double &tick : ticks)
            tick *= rough < 1 ? 1 : kDay;
        return ticks;
    }
    double step = kDay;
    for (const double round : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200}) {
        if (rough <= round * 1.0001) {
            step = round;
            break;
        }
    }
    return multiples(low, high, step);
}

QString timeLabel(double seconds, double step)
{
    if (seconds == 0.0)
        return QStringLiteral("0");
    if (step < 1)
        return compactNumber(seconds, step) + QStringLiteral(" s");
    const auto whole = static_cast<qint64>(std::llround(seconds));
    const auto two = [](qint64 value) { return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0')); };
    const qint64 days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
    if (days > 0)
        return hours == 0 && step >= 86400 ? QStringLiteral("%1 d").arg(days)
                                           : QStringLiteral("%1 d %2 h").arg(days).arg(hours);
    if (whole >= 3600)
        return minutes == 0 ? QStringLiteral("%1 h").arg(hours)
                            : QStringLiteral("%1:%2 h").arg(hours).arg(two(minutes));
    if (whole >= 60)
        return rest == 0 ? QStringLiteral("%1 min").arg(minutes) : QStringLiteral("%1:%2").arg(minutes).arg(two(rest));
    return QStringLiteral("%1 s").arg(rest);
}

std::vector<double> logTicks(double low, double high, int count)
{
    if (!(high > low) || count < 1 || !std::isfinite(high - low) || high > 300 || low < -300)
        return {};
    std::vector<double> ticks;
    if (high - low < 1.0) {
        for (const double value : niceTicks(std::pow(10.0, low), std::pow(10.0, high), count)) {
            if (value > 0)
                ticks.push_back(std::log10(value));
        }
        return ticks;
    }
    const double every = std::max(1.0, std::ceil((high - low) / count));
    const bool between = (high - low) * 3 <= count;
    const double first = std::ceil(std::floor(low) / every) * every - every;
    for (int i = 0; first + i * every <= high; ++i) {
        const double power = first + i * every;
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = power + std::log10(factor);
            if ((factor == 1.0 || between) && tick >= low && tick <= high)
                ticks.push_back(tick);
        }
    }
    return ticks;
}

QString logLabel(double power)
{
    const double digit = std::pow(10.0, std::floor(power + 1e-9)), value = std::pow(10.0, power);
    if (power < -4)
        return QString::number(value, 'g', 3);
    const double leading = value / digit; // has at most three significant digits
    for (const double step : {1.0, 0.1}) {
        if (std::abs(leading / step - std::round(leading / step)) < 1e-6)
            return compactNumber(std::round(leading / step) * step * digit, step * digit);
    }
    return compactNumber(value, digit / 100);
}

QString doublingLabel(double power) { return QString::number(std::exp2(power), 'g', 10); }

QString compactNumber(double value, double step)
{
    if (value == 0.0)
        return QStringLiteral("0");
    const Scale scale = scaleOf(std::max(std::abs(value), step));
    const double relative = step / scale.unit;
    const int decimals =
        relative > 0.0 ? std::clamp(static_cast<int>(-std::floor(std::log10(relative) + 1e-9)), 0, 6) : 2;
    return withSuffix(value, scale, decimals);
}

QString formatReading(double value)
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
