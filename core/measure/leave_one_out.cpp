// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/leave_one_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/median.h"

namespace slipway {

namespace {

constexpr std::array<std::string_view, 2> kMetrics{"tokens_per_s_per_gpu", "peak_mem_gib"};

struct Residual {
    double ratio = 1;  // measured over predicted
    double weight = 1; // each source has the same total weight
    bool operator<(const Residual &other) const { return ratio < other.ratio; }
};

struct Source {
    std::vector<double> ratios;
    double error = 0; // sum of absolute errors
    int inRange = 0, above = 0;

    void add(double measured, const PredictedFigure &predicted)
    {
        ratios.push_back(measured / predicted.value);
        error += std::abs(predicted.value / measured - 1);
        inRange += measured >= predicted.p10 && measured <= predicted.p90;
        above += measured > predicted.p90;
    }
    [[nodiscard]] double part(int count) const { return double(count) / double(ratios.size()); }
};
using Sources = std::map<std::string, Source>;

// The smallest ratio that at least this fraction of the weight does not exceed.
double quantile(std::vector<Residual> residuals, double part)
{
    std::sort(residuals.begin(), residuals.end());
    double all = 0, sum = 0;
    for (const Residual &each : residuals)
        all += each.weight;
    for (const Residual &each : residuals) {
        sum += each.weight;
        if (sum >= part * all)
            return each.ratio;
    }
    return residuals.empty() ? 1 : residuals.back().ratio;
}

std::vector<Residual> residualsOf(const Sources &sources, const std::string &without)
{
    std::vector<Residual> residuals;
    for (const auto &[name, source] : sources) {
        if (name == without)
            continue;
        for (const double ratio : source.ratios)
            residuals.push_back({ratio, 1 / double(source.ratios.size())});
    }
    return residuals;
}

double inOthersRange(const Sources &sources, const std::string &name)
{
    const std::vector<Residual> others = residualsOf(sources, name);
    const double low = quantile(others, 0.1), high = quantile(others, 0.9);
    const std::vector<double> &own = sources.at(name).ratios;
    const auto in = std::count_if(own.begin(), own.end(), [&](double ratio) { return ratio >= low && ratio <= high; });
    return double(in) / double(own.size());
}

// The fraction of rows between P10 and P90 of the others' errors. One group has no others.
double inOthersRange(const Sources &groups)
{
    double in = 0;
    for (const auto &[name, group] : groups)
        in += groups.size() > 1 ? inOthersRange(groups, name) / double(groups.size()) : 0;
    return in;
}

LeftOut summary(std::string known, std::string metric, const Sources &sources, const Sources &frameworks)
{
    LeftOut s{.known = std::move(known), .metric = std::move(metric), .sources = static_cast<int>(sources.size())};
    std::vector<double> errors;
    for (const auto &[name, source] : sources) {
        const double weight = 1 / double(sources.size());
        s.rows += static_cast<int>(source.ratios.size());
        s.inRange += weight * source.part(source.inRange);
        s.above += weight * source.part(source.above);
        errors.push_back(source.error / double(source.ratios.size()));
    }
    s.inOthers = inOthersRange(sources);
    s.inOtherFrameworks = inOthersRange(frameworks);
    const std::vector<Residual> all = residualsOf(sources, {});
    s.p10 = quantile(all, 0.1);
    s.p90 = quantile(all, 0.9);
    s.medianError = median(std::move(errors)).value_or(0);
    return s;
}

} // namespace

std::string_view rowClass(const MeasuredRow &row)
{
    if (row.resolved.calibration.fitsSpeed() || row.resolved.calibration.fitsMemory())
        return "calibrated";
    switch (row.resolved.softwareKnowledge) {
    case SoftwareKnowledge::Profile:
        return "known";
    case SoftwareKnowledge::OtherGpus:
        return "known-other-card";
    default:
        return "unknown"; // without a profile, the software is not known
    }
}

CsvTable withoutSoftware(CsvTable table)
{
    if (!table.column("framework")) {
        table.header.emplace_back("framework");
        for (CsvRow &row : table.rows)
            row.cells.resize(table.header.size());
    }
    const std::size_t column = *table.column("framework");
    for (CsvRow &row : table.rows) {
        if (row.cells.size() <= column) // a record with a fault may lack cells
            continue;
        std::string &cell = row.cells[column];
        const std::size_t at = cell.find("@20");
        cell = "unknown" + (at == std::string::npos ? std::string() : cell.substr(at));
    }
    return table;
}

std::vector<LeftOut> leaveOneOut(const std::vector<PredictedRow> &rows)
{
    struct Groups {
        Sources sources, frameworks;
    };
    std::map<std::pair<std::string, std::string>, Groups> classes; // by class and metric
    for (const PredictedRow &p : rows) {
        const Measured &m = p.row.measured;
        const auto add = [&](std::string_view metric, const std::optional<double> &measured,
                             const std::optional<PredictedFigure> &predicted) {
            if (!predicted || predicted->value <= 0 || measured.value_or(0) <= 0)
                return;
            Groups &groups = classes[{std::string(rowClass(p.row)), std::string(metric)}];
            groups.sources[p.row.source].add(*measured, *predicted);
            groups.frameworks[p.row.framework].add(*measured, *predicted);
        };
        add(kMetrics[0], m.tokensPerSecondPerGpu, p.tokensPerSecondPerGpu);
        add(kMetrics[1], m.peakGib, p.peakGib);
    }
    std::vector<LeftOut> all;
    for (const auto &[key, groups] : classes)
        all.push_back(summary(key.first, key.second, groups.sources, groups.frameworks));
    return all;
}

std::string toText(const std::vector<LeftOut> &classes)
{
    std::string text =
        fmt::format("{:<17} {:<21} {:>7} {:>5} {:>9} {:>8} {:>8} {:>9} {:>10} {:>20} {:>10}\n", "class", "metric",
            "sources", "rows", "median", "P10", "P90", "in range", "in others'", "in other frameworks'", "above P90");
    for (const LeftOut &s : classes)
        text += fmt::format(
            "{:<17} {:<21} {:>7} {:>5} {:>7.1f} % {:>8.2f} {:>8.2f} {:>7.0f} % {:>8.0f} % {:>18.0f} % {:>8.0f} %\n",
            s.known, s.metric, s.sources, s.rows, 100 * s.medianError, s.p10, s.p90, 100 * s.inRange, 100 * s.inOthers,
            100 * s.inOtherFrameworks, 100 * s.above);
    return text;
}

nlohmann::ordered_json toJson(const std::vector<LeftOut> &classes)
{
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const LeftOut &s : classes)
        all.push_back({{"class", s.known}, {"metric", s.metric}, {"sources", s.sources}, {"rows", s.rows},
            {"median_error", s.medianError}, {"residual_p10", s.p10}, {"residual_p90", s.p90}, {"in_range", s.inRange},
            {"in_range_of_others", s.inOthers}, {"in_range_of_other_frameworks", s.inOtherFrameworks},
            {"above_p90", s.above}});
    return all;
}

} // namespace slipway
