// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The texts and chart data of the Runs page, made from the content of a run directory. The reader thread creates them
// and the GUI thread shows them. The threads share no other data.
#pragma once

#include <QMetaType>
#include <QString>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runs/alerts.h"
#include "runs/progress.h"
#include "runs/run_entry.h"
#include "runs/run_index.h"
#include "runs/run_reader.h"
#include "runs/run_series.h"
#include "ui/charts/line_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/metric_tile.h"

namespace slipway::ui {

// One row of the table.
struct RunRow {
    std::filesystem::path directory;
    QString name;
    RunState state = RunState::Unknown;
    double fraction = 0; // from 0 to 1
    QString steps;       // such as "1,204 / 5,000"
    QString tokensPerSecond, loss, remaining, cost, tags, changed, hardware;
    QString notes;
    std::optional<double> speedValue, lossValue, remainingValue, costValue; // used to sort
    RunEntry entry;                                                         // used to filter
    bool operator==(const RunRow &) const = default;
};

struct ComparisonDisplay {
    QString name, predicted, range, measured, ratio;
    bool outside = false; // whether the measured value lies outside p10 to p90
};

struct AlertDisplay {
    QString kind, since, until, message;
    bool lasts = true;
    std::int64_t step = 0;
};

struct EventDisplay {
    QString time, kind, message;
};

struct RunDisplay {
    std::filesystem::path directory;
    QString name, subtitle;
    RunState state = RunState::Unknown;
    QString stateDetail;
    double fraction = 0;
    std::vector<MetricDisplay> figures;
    std::shared_ptr<const RunSeries> series;
    // The steps that a later attempt repeated.
    std::vector<std::shared_ptr<const RunSeries>> superseded;
    struct Restart {
        std::int64_t step = 0;
        QString name;
        bool operator==(const Restart &) const = default;
    };
    std::vector<Restart> restarts; // the steps at which attempts began
    std::map<Quantity, PredictedBand> bands;
    Labels labels;
    bool imported = false;
    std::vector<ComparisonDisplay> comparisons;
    std::vector<EventDisplay> events;
    std::vector<AlertDisplay> alerts;
    QString configText, problems;
    QString failure; // why the run ended early, if known
};

QString stateName(RunState state);
QString speedTip(); // how the throughput and the loss of a run are measured
QString lossTip();
QString alertSentence(const std::string &message);
Pill::Tone stateTone(RunState state);

RunRow runRow(const RunEntry &entry);
// Rows that share a name show the names of their directories instead.
void disambiguateNames(std::vector<RunRow> &rows);
// `series` holds the metrics of the run. `alerts` holds both ongoing and past alerts.
RunDisplay runDisplay(const RunData &run, const RunSummary &summary, std::shared_ptr<const RunSeries> series,
    const std::vector<AlertRow> &alerts, std::chrono::system_clock::time_point now);
RunDisplay runDisplay(const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules = {});
QString alertName(AlertKind kind);
QString figureText(const std::optional<double> &value, const std::string &unit); // "–" if there is no value

// Formats a time such as "12:04:31", with the date if it is not today.
QString shortTime(const std::string &iso8601, std::chrono::system_clock::time_point now);

} // namespace slipway::ui

Q_DECLARE_METATYPE(std::vector<slipway::ui::RunRow>)
Q_DECLARE_METATYPE(std::shared_ptr<const slipway::ui::RunDisplay>)
