// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <vector>

namespace slipway::ui {

// Returns about `count` multiples of 1, 2 or 5 times a power of ten within [low, high].
std::vector<double> niceTicks(double low, double high, int count);
// The same, but whole numbers only, for steps and tokens. There is no tick between two neighboring numbers.
std::vector<double> wholeTicks(double low, double high, int count);

// Returns round times within [low, high] seconds: multiples of 1, 2, 5, 10, 15 or 30 s or min, of 1, 2, 3, 6 or 12 h,
// or of 1, 2, 5 ... days.
std::vector<double> timeTicks(double low, double high, int count);
// Formats a time such as "45 s", "2:30", "1:05 h" or "2 d 6 h", with the resolution of `step` seconds.
QString timeLabel(double seconds, double step);
// Returns ticks of a log10 axis: at 1, 2, 5 x 10^k, at powers of ten only for large ranges, or at round values within a
// decade.
std::vector<double> logTicks(double low, double high, int count);

// Formats short chart labels such as "0", "250", "1.5K" or "12.4M", with enough digits to distinguish ticks that are
// `step` apart.
QString compactNumber(double value, double step);
// Formats 10^power for a logarithmic axis, such as "8", "1.5", "20K" or "5e-06".
QString logLabel(double power);
// Formats 2^power for a logarithmic axis of doublings, such as "0.5" or "4096".
QString doublingLabel(double power);
// Formats about four significant digits, with K, M or B from 10,000 on.
QString formatReading(double value);

} // namespace slipway::ui
