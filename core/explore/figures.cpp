// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/figures.h"

#include <map>

namespace slipway {

namespace {

std::string yLabelOf(const Sweep &sweep)
{
    const bool priced = std::any_of(
        sweep.points.begin(), sweep.points.end(), [](const SweepPoint &p) { return p.tokensPerUsd.has_value(); });
    return priced ? "tokens per dollar" : "tokens/s";
}

using DotsByX = std::map<double, FigureDot>;

void keepBest(DotsByX &dots, double x, const SweepPoint &point, std::size_t index)
{
    const auto [kept, isNew] =
        dots.try_emplace(x, FigureDot{.x = x, .y = point.objective(), .point = index, .oom = !point.runs()});
    if (isNew || !point.runs())
        return;
    if (kept->second.oom || point.objective() > kept->second.y)
        kept->second = {.x = x, .y = point.objective(), .point = index};
}

} // namespace

std::int64_t globalBatchOf(const Sweep &sweep, const SweepPoint &point)
{
    const Result<RunConfig> config = configAt(sweep.base, sweep.grid, point.index);
    return config && config->seqLen > 0 ? config->tokensPerStep() / config->seqLen : 0;
}

std::optional<SweepFigure> figureOf(const Sweep &sweep, const FigureAxes &axes)
{
    const auto panelAxis = sweep.grid.axisOf(axes.panel), lineAxis = sweep.grid.axisOf(axes.line),
               gpusAxis = sweep.grid.axisOf("gpus");
    if (!lineAxis || sweep.grid.axes[*lineAxis].values.size() < 2 || (axes.x == FigureX::Gpus && !gpusAxis))
        return std::nullopt;
    const std::size_t panels = panelAxis ? sweep.grid.axes[*panelAxis].values.size() : 1,
                      lines = sweep.grid.axes[*lineAxis].values.size();
    std::vector<DotsByX> dots(panels * lines);
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const SweepPoint &point = sweep.points[i];
        if (!point.skipped.empty())
            continue;
        const std::vector<std::size_t> digits = sweep.grid.digitsAt(point.index);
        const Result<RunConfig> config = configAt(sweep.base, sweep.grid, point.index);
        const std::int64_t sequences = config->tokensPerStep() / config->seqLen;
        const double x = axes.x == FigureX::Gpus ? config->parallel.gpus : static_cast<double>(sequences);
        keepBest(dots[(panelAxis ? digits[*panelAxis] : 0) * lines + digits[*lineAxis]], x, point, i);
    }
    SweepFigure figure{
        .xLabel = axes.x == FigureX::Gpus ? "GPUs" : "global batch, sequences", .yLabel = yLabelOf(sweep)};
    for (std::size_t p = 0; p < panels; ++p) {
        FigurePanel panel{.name = panelAxis ? sweep.grid.axes[*panelAxis].values[p] : std::string()};
        for (std::size_t l = 0; l < lines; ++l) {
            FigureLine line{.name = sweep.grid.axes[*lineAxis].values[l]};
            for (const auto &[x, dot] : dots[p * lines + l])
                line.dots.push_back(dot);
            panel.lines.push_back(std::move(line));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

std::vector<SweepFigure> paperFigures(const Sweep &sweep)
{
    const struct {
        const char *id, *title, *question, *line;
        FigureX x;
    } wanted[] = {
        {"attention", "Attention by global batch", "Is flash attention worth it?", "attention", FigureX::GlobalBatch},
        {"gpu", "GPU type by count", "Which GPU, and how many of them?", "gpu", FigureX::Gpus},
        {"scheme", "Sharding by GPU count", "Which parallelism strategy, on how many GPUs?", "parallel", FigureX::Gpus},
        {"batch", "Sharding by global batch", "Which parallelism strategy, at which global batch?", "parallel",
            FigureX::GlobalBatch},
    };
    std::vector<SweepFigure> figures;
    for (const auto &w : wanted) {
        std::optional<SweepFigure> figure = figureOf(sweep, {.line = w.line, .x = w.x});
        if (!figure)
            continue;
        figure->id = w.id;
        figure->title = w.title;
        figure->question = w.question;
        figures.push_back(*std::move(figure));
    }
    return figures;
}

} // namespace slipway
