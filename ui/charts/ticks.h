// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <vector>

namespace slipway::ui {

// Multiples of 1, 2 or 5 times a power of ten that lie in [low, high]: about `count` of them.
std::vector<double> niceTicks(double low, double high, int count);

// Short labels for charts: "0", "250", "1.5K", "12.4M"; as many digits as tell ticks `step` apart.
QString compactNumber(double value, double step);
// A reading: about four significant digits, with K, M, B from 10,000 on.
QString readingNumber(double value);

} // namespace slipway::ui
