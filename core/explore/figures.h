// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A grid as lines over one of its axes, the best taken over what is not shown: the paper's figures 1 to 4.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/sweep.h"

namespace slipway {

// The best of a place in a figure.
struct FigureDot {
    double x = 0;
    double y = 0;          // tokens per dollar; per second where the book has no price
    std::size_t point = 0; // index into Sweep::points
    bool oom = false;      // nothing there runs: y says nothing
    bool operator==(const FigureDot &) const = default;
};

struct FigureLine {
    std::string name;            // the axis's value: "flash"
    std::vector<FigureDot> dots; // x rises
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
// Empty: the grid varies neither.
std::optional<SweepFigure> figureOf(const Sweep &sweep, const FigureAxes &axes);

// Flash against vanilla over global batch; GPU type over count; scheme over count; scheme over global batch. Those
// whose axes the grid has.
std::vector<SweepFigure> paperFigures(const Sweep &sweep);

// Sequences of a step, over all ranks.
std::int64_t globalBatchOf(const Sweep &sweep, const SweepPoint &point);

} // namespace slipway
