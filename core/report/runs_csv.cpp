// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/runs_csv.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/csv.h"
#include "base/text.h"

namespace slipway {

namespace {

std::string cell(const std::optional<double> &value) { return value ? formatExact(*value) : std::string(); }

struct NamedCell {
    std::string name, value; // the name ends with the unit
};

std::vector<NamedCell> cellsOf(const RunEntry &run, RunColumn column)
{
    switch (column) {
    case RunColumn::Name:
        return {{"name", run.name}};
    case RunColumn::State:
        return {{"state", std::string(enumName(run.status.state))}};
    case RunColumn::Steps:
        return {{"step", std::to_string(run.step)},
            {"total_steps", run.totalSteps ? std::to_string(*run.totalSteps) : std::string()}};
    case RunColumn::Speed:
        return {{"tokens_per_s", cell(run.tokensPerSecond)}};
    case RunColumn::Loss:
        return {{"final_loss_nats", run.step > 0 && !run.finalLoss ? "nan" : cell(run.finalLoss)}};
    case RunColumn::Left:
        return {{"remaining_s", cell(run.remaining)}};
    case RunColumn::Cost:
        return {{"usd", cell(run.usd)}};
    case RunColumn::Tags:
        return {{"tags", fmt::format("{}", fmt::join(run.labels.tags, ", "))}};
    case RunColumn::Changed:
        return {{"last_time", run.lastTime}};
    case RunColumn::Model:
        return {{"model", run.model}};
    case RunColumn::Hardware:
        return {{"gpu", run.gpu}, {"gpus", run.gpus > 0 ? std::to_string(run.gpus) : std::string()}};
    case RunColumn::Host:
        return {{"host", run.host}};
    }
    return {};
}

std::string record(const RunEntry &run, std::span<const RunColumn> columns, std::string NamedCell::*part)
{
    std::vector<std::string> cells;
    for (const RunColumn column : columns) {
        for (const NamedCell &each : cellsOf(run, column))
            cells.push_back(each.*part);
    }
    return csvRecord(cells);
}

} // namespace

std::string runsCsv(const std::vector<RunEntry> &runs, std::span<const RunColumn> columns)
{
    std::string csv = record({}, columns, &NamedCell::name);
    for (const RunEntry &run : runs)
        csv += record(run, columns, &NamedCell::value);
    return csv;
}

} // namespace slipway
