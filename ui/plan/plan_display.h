// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The texts and chart data of the Plan page, made from a Prediction. These are plain values without widgets or state.
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

#include "predict/predict.h"
#include "ui/charts/stacked_bar.h"
#include "ui/widgets/card.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/metric_tile.h"

namespace slipway::ui {

struct VerdictDisplay {
    QString word; // such as "Fits"
    Pill::Tone tone = Pill::Tone::Neutral;
    QString sentence; // such as "17.9 GiB of 79.2 GiB remains free at peak"
    QString detail;   // such as "Peak memory is 61.3 GiB (...), reached in the backward phase (loss/logits)."
};

struct SuggestionDisplay {
    QString change; // such as "Recompute → Full"
    QString why;
    QString peak, speed, cost; // each with its difference from the current plan
    std::vector<std::pair<std::string, std::string>> settings;
};

struct PlanDisplay {
    QString model;    // such as "1B · 970.5M parameters · 20 layers · hidden size 1792"
    QString hardware; // such as "8 × H100 80GB SXM5"
    VerdictDisplay verdict;
    std::vector<MetricDisplay> figures;
    std::vector<SuggestionDisplay> suggestions;
    QString nothingFits; // the lowest memory found, if no suggestion makes the plan fit
    // Such as "Memory and speed are estimated from the data sheet only. Ranges are P10–P90."
    QString origin;
    std::vector<QString> notes;
};

PlanDisplay planDisplay(const Prediction &prediction,
    const Catalogue *tables = nullptr); // `tables` provides the names of GPUs and price books

BarData memoryBar(const Prediction &prediction);
BarData timeBar(const Prediction &prediction);
BarData phaseBar(const Prediction &prediction); // forward, backward, recomputation, optimizer
// Returns the names, values and shares of a bar's parts for its legend.
std::vector<LegendEntry> partsOf(const BarData &bar);

QString bytesText(double bytes);
// Formats an amount as "$12.34", or as "12.34 units" for a price book of ratios.
QString moneyText(Usd amount, bool relative);
QString originName(Origin origin); // such as "estimated from the data sheet only"
// Describes how `after` differs from `before`: "+12 %", "−3.4 %" or "same". Empty if `before` is not a positive number.
QString differenceText(double after, double before);
// Names GPUs and price books as in the form, and not by their ids.
QString namedValue(const std::string &key, const std::string &value, const Catalogue *tables);

} // namespace slipway::ui
