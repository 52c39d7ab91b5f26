// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <vector>

namespace slipway::ui {

// Multiples of 1, 2 or 5 times a power of ten that lie in [low, high]: about `count` of them.
std::vector<double> niceTicks(double low, double high, int count);

// Round stretches of time in [low, high] seconds: 1, 2, 5, 10, 15, 30 s or min, 1, 2, 3, 6, 12 h, 1, 2, 5 ... days.
std::vector<double> timeTicks(double low, double high, int count);
// "45 s", "2:30", "1:05 h", "2 d 6 h", as fine as `step` seconds need.
QString timeLabel(double seconds, double step);
// For an axis of decimal logarithms: the places of 1, 2, 5 x 10^k, or of the powers alone where they are many; round
// values where the range is less than a decade.
std::vector<double> logTicks(double low, double high, int count);

// Short labels for charts: "0", "250", "1.5K", "12.4M"; as many digits as tell ticks `step` apart.
QString compactNumber(double value, double step);
// 10^power on a logarithmic axis: "8", "1.5", "20K", "5e-06".
QString logLabel(double power);
// A reading: about four significant digits, with K, M, B from 10,000 on.
QString formatReading(double value);

} // namespace slipway::ui
