// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the Runs page says, as plain values: a run directory's content in, texts and chart data out. Made on the reading
// thread, shown on the other; nothing is shared but these values.
#pragma once

#include <QMetaType>
#include <QString>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "runs/progress.h"
#include "runs/run_reader.h"
#include "ui/charts/line_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/figure_tile.h"

namespace slipway::ui {

// One row of the table.
struct RunRow {
    std::filesystem::path directory;
    QString name;
    RunState state = RunState::Unknown;
    double fraction = 0;              // 0 to 1
    QString steps;                    // "1,204 / 5,000"
    QString tokensPerSecond, loss, remaining, changed;
    std::optional<double> speedValue, lossValue, remainingValue; // to sort by
    bool operator==(const RunRow &) const = default;
};

struct ComparisonView {
    QString name, predicted, range, measured, ratio;
    bool outside = false; // the measured value lies outside P10 to P90
};

struct EventView {
    QString time, kind, message;
};

struct RunView {
    std::filesystem::path directory;
    QString name, subtitle;
    RunState state = RunState::Unknown;
    QString stateDetail;
    double fraction = 0;
    std::vector<FigureView> figures;
    std::vector<double> steps, tokensPerSecond, loss;
    std::vector<double> evalSteps, evalLoss;
    std::vector<LineMarker> markers;  // where an attempt began
    std::optional<PredictedBand> speedBand, lossBand;
    std::vector<ComparisonView> comparisons;
    std::vector<EventView> events;
    std::vector<QString> alerts;
    QString configText, problems;
};

QString stateName(RunState state);
Pill::Tone stateTone(RunState state);

RunRow runRow(const RunData &run);
RunView runView(const RunData &run, std::chrono::system_clock::time_point now);

// "12:04:31", with the date where it is not today's.
QString shortTime(const std::string &iso8601, std::chrono::system_clock::time_point now);

} // namespace slipway::ui

Q_DECLARE_METATYPE(std::vector<slipway::ui::RunRow>)
Q_DECLARE_METATYPE(std::shared_ptr<const slipway::ui::RunView>)
