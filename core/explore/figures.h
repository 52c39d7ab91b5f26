// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Figures 1 to 4 of the paper: the best value over one axis of the grid, across all settings that are not shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/sweep.h"

namespace slipway {

// The best point at one position of a figure.
struct FigureDot {
    double x = 0;
    double y = 0;          // tokens per dollar, or per second if the price book has no price
    std::size_t point = 0; // index into Sweep::points
    bool oom = false;      // no point at this position runs; y is unused
    bool operator==(const FigureDot &) const = default;
};

struct FigureLine {
    std::string name;            // value of the axis, such as "flash"
    std::vector<FigureDot> dots; // by increasing x
    bool operator==(const FigureLine &) const = default;
};

struct FigurePanel {
    std::string name; // the model
    std::vector<FigureLine> lines;
    bool operator==(const FigurePanel &) const = default;
};

struct SweepFigure {
    std::string id, title, question;
    std::string xLabel, yLabel;
    std::vector<FigurePanel> panels;
    bool operator==(const SweepFigure &) const = default;
};

enum class FigureX { Gpus, GlobalBatch };

struct FigureAxes {
    std::string panel = "model", line;
    FigureX x = FigureX::GlobalBatch;
};
// Empty if the grid varies neither.
std::optional<SweepFigure> figureOf(const Sweep &sweep, const FigureAxes &axes);

// The figures whose axes the grid varies, of these: attention over global batch, GPU type over GPU count, strategy over
// GPU count, and strategy over global batch.
std::vector<SweepFigure> paperFigures(const Sweep &sweep);

// Sequences per step, of all ranks.
std::int64_t globalBatchOf(const Sweep &sweep, const SweepPoint &point);

} // namespace slipway
