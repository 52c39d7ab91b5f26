// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the Plan page says, as plain values: a Prediction in, texts and chart data out. No widget, no state.
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

#include "predict/first_steps.h"
#include "predict/predict.h"
#include "ui/charts/area_chart.h"
#include "ui/charts/stacked_bar.h"
#include "ui/widgets/card.h"
#include "ui/widgets/metric_tile.h"

namespace slipway::ui {

struct VerdictDisplay {
    QString word; // "Fits"
    Pill::Tone tone = Pill::Tone::Neutral;
    QString sentence; // "17.9 GiB of 79.2 GiB stay free at the peak"
    QString detail;   // "Peak 61.3 GiB (P10–P90 ...), in layer/x of backward. Largest micro-batch that fits: 24."
};

struct PartDisplay {
    QString name, text, share;
    QColor light, dark;
};

struct SuggestionDisplay {
    QString change; // "Recompute → Full"
    QString why;
    QString peak, speed, cost; // each with its difference to now
    std::vector<std::pair<std::string, std::string>> settings;
};

struct PlanDisplay {
    QString model;    // "1B · 970.5M parameters · 20 layers × 1792"
    QString hardware; // "8 × H100 80GB SXM5"
    VerdictDisplay verdict;
    std::vector<MetricDisplay> figures;
    std::vector<PartDisplay> memory, time;
    std::vector<SuggestionDisplay> suggestions;
    QString nothingFits; // the least memory found, where no suggestion makes it fit
    QString origin;      // "Memory and speed from the data sheet alone; ranges are P10 to P90."
    std::vector<QString> notes;
};

PlanDisplay planDisplay(const Prediction &prediction,
    const Catalogue *tables = nullptr); // `tables`: for the names of cards and price books

BarData memoryBar(const Prediction &prediction);
BarData timeBar(const Prediction &prediction);
BarData phaseBar(const Prediction &prediction); // forward, backward, recomputation, optimizer
// Names, values and shares of a bar's parts, for its legend.
std::vector<PartDisplay> partsOf(const BarData &bar);
AreaData memoryAreas(const MemoryOverStep &memory, const Prediction &prediction);
// The first steps from the cold start, with what the allocator has reserved as a line.
AreaData firstStepsAreas(const FirstSteps &first);

QString bytesText(double bytes);
// "$12.34"; of a book of ratios "12.34 units".
QString moneyText(Usd amount, bool relative);

} // namespace slipway::ui
