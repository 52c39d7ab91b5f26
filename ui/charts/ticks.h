// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <vector>

namespace slipway::ui {

// About `count` multiples of 1, 2 or 5 times a power of ten within [low, high].
std::vector<double> niceTicks(double low, double high, int count);

// Round times within [low, high] seconds: multiples of 1, 2, 5, 10, 15, 30 s or min, 1, 2, 3, 6, 12 h, 1, 2, 5 ...
// days.
std::vector<double> timeTicks(double low, double high, int count);
// "45 s", "2:30", "1:05 h", "2 d 6 h", with the resolution of `step` seconds.
QString timeLabel(double seconds, double step);
// Ticks of a log10 axis: at 1, 2, 5 x 10^k, at powers of ten only for large ranges, or at round values within a decade.
std::vector<double> logTicks(double low, double high, int count);

// Short chart labels such as "0", "250", "1.5K", "12.4M", with enough digits to distinguish ticks `step` apart.
QString compactNumber(double value, double step);
// 10^power on a logarithmic axis: "8", "1.5", "20K", "5e-06".
QString logLabel(double power);
// About four significant digits, with K, M, B from 10,000 on.
QString formatReading(double value);

} // namespace slipway::ui
