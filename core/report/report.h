// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A report as data: its sections, tables and figures in order, independent of how they are rendered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/offers.h"
#include "predict/predict.h"
#include "runs/progress.h"
#include "runs/run_reader.h"

namespace slipway {

struct ReportTable {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; // as shown; numbers include their unit
    std::vector<bool> numeric;                  // by column: right-aligned
};

enum class FigureKind { Lines, Bars, StackedBars, StackedAreas };

struct ReportSeries {
    std::string name;
    std::vector<double> x, y;      // Bars and StackedBars: y by category
    std::vector<double> low, high; // a band around y; empty: none
    std::vector<double> missingX;  // Lines: x without a value, drawn as a cross on the axis
};

struct ReportFigure {
    std::string title, xLabel, yLabel;
    FigureKind kind = FigureKind::Lines;
    bool doublings = false;              // Lines: x axis in powers of two, with a dot at each point
    bool joined = true;                  // with doublings: a line from dot to dot
    std::vector<std::string> categories; // of bars
    std::vector<ReportSeries> series;
    bool namesSeries = false;    // lists the series even if there is only one
    std::optional<double> limit; // a line across: capacity, prediction
    std::string limitLabel;

    [[nodiscard]] bool listsSeries() const { return series.size() > (namesSeries ? 0 : 1); }
};

// Whether all points are at whole numbers, such as steps. The axis then has no ticks between them.
bool atWholeNumbers(const ReportFigure &figure);

struct ReportSection {
    std::string title;
    std::vector<std::string> paragraphs;
    std::vector<ReportTable> tables;
    std::vector<ReportFigure> figures;
    int figuresAcross = 1; // side by side
    bool newPage = false;
};

struct Report {
    std::string title, subtitle;
    std::string headline; // the result in one sentence
    std::vector<ReportSection> sections;
};

Report planReport(const Prediction &prediction, const std::optional<MemoryOverStep> &memory = {},
    const std::vector<Offer> &offers = {});
Report runReport(const RunData &run);

} // namespace slipway
