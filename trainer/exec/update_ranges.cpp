// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/update_ranges.h"

#include <algorithm>

namespace slipway {
namespace {

double rateFactorOf(ParameterKind kind, const OptimizerStep &optimizer)
{
    return kind == ParameterKind::Embedding ? optimizer.embeddingRateFactor
           : kind == ParameterKind::Head    ? optimizer.headRateFactor
                                            : 1;
}

} // namespace

std::vector<UnitRuns> unitRuns(const StepPlan &plan)
{
    std::vector<UnitRuns> units;
    for (const ParameterUnit &unit : plan.units) {
        UnitRuns runs;
        for (const ParameterTensor &tensor : plan.tensors) {
            if (tensor.parameter != unit.parameter)
                continue;
            const auto add = [&](std::int64_t rows, int copies) {
                const std::int64_t end = tensor.offset + rows * tensor.columns;
                if (!runs.empty() && runs.back().kind == tensor.kind && runs.back().copies == copies)
                    runs.back().end = end;
                else
                    runs.push_back({.end = end, .kind = tensor.kind, .copies = copies});
            };
            add(tensor.rows - tensor.replicatedRows, 1);
            if (tensor.replicatedRows > 0)
                add(tensor.rows, plan.kvReplicas);
        }
        if (!runs.empty())
            runs.back().end = std::max(runs.back().end, unit.padded);
        units.push_back(std::move(runs));
    }
    return units;
}

std::vector<UpdateRange> updateRanges(
    const Kernel &adamW, int shard, std::span<const UnitRuns> units, const OptimizerStep &optimizer)
{
    const std::int64_t begin = shard * adamW.n, end = begin + adamW.n;
    std::vector<UpdateRange> parts;
    std::int64_t from = begin;
    for (const KindRun &run : units[static_cast<std::size_t>(adamW.unit)]) {
        const std::int64_t to = std::min(run.end, end);
        if (to <= from)
            continue;
        const UpdateRange part{.first = from - begin,
            .count = to - from,
            .rateFactor = rateFactorOf(run.kind, optimizer),
            .weightDecay = optimizer.noDecay.has(run.kind) ? 0 : optimizer.weightDecay};
        const bool joins = !parts.empty() && parts.back().rateFactor == part.rateFactor &&
                           parts.back().weightDecay == part.weightDecay;
        if (joins)
            parts.back().count += part.count;
        else
            parts.push_back(part);
        from = to;
    }
    return parts;
}

std::vector<ReplicatedRange> replicatedRanges(const Kernel &sumSquares, int shard, std::span<const UnitRuns> units)
{
    const UnitRuns *const runs = units.empty() ? nullptr : &units[static_cast<std::size_t>(sumSquares.unit)];
    const bool shares =
        runs && std::any_of(runs->begin(), runs->end(), [](const KindRun &run) { return run.copies > 1; });
    if (!shares)
        return {{.first = 0, .count = sumSquares.n}};
    const std::int64_t begin = shard * sumSquares.n, end = begin + sumSquares.n;
    std::vector<ReplicatedRange> parts;
    std::int64_t from = begin;
    for (const KindRun &run : *runs) {
        const std::int64_t to = std::min(run.end, end);
        if (to > from)
            parts.push_back({.first = from - begin, .count = to - from, .copies = run.copies});
        from = std::max(from, to);
    }
    return parts;
}

} // namespace slipway
