// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report_tables.h"

#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "config/apply_framework.h"
#include "config/choice_names.h"
#include "config/settings.h"
#include "runs/decimation.h"
#include "runs/progress.h"

namespace slipway {

namespace {

constexpr std::size_t kPointsInPrint = 1000;

// The settings of a plan for which nothing was chosen.
RunConfig settledDefaults()
{
    RunConfig defaults;
    settleChoices(defaults);
    return defaults;
}

} // namespace

ReportSection configurationSection(const RunConfig &config, bool withTraining)
{
    ReportSection section{.title = "Configuration"};
    ReportTable table{.columns = {"Group", "Setting", "Value", "Default"}, .numeric = {false, false, false, false}};
    const RunConfig defaults = settledDefaults();
    for (const Setting &setting : settings()) {
        if ((setting.runOnly && !withTraining) || isDefault(setting, config) ||
            settingText(setting, config) == settingText(setting, defaults))
            continue;
        const auto orNone = [](const std::string &value) { return value.empty() ? std::string("none") : value; };
        table.rows.push_back({titleCase(enumName(setting.group)), std::string(setting.key),
            orNone(settingText(setting, config)), orNone(settingText(setting, defaults))});
    }
    section.paragraphs.push_back(table.rows.empty() ? "All settings have their default values. The appendix lists them."
                                                    : "All other settings have their default values. The appendix "
                                                      "lists them.");
    if (!table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

std::string strategyInList(const Parallelism &parallel)
{
    return parallel.kind == ParallelKind::None ? std::string() : choiceName("parallel", enumName(parallel.kind)) + ", ";
}

ReportSection settingsAppendix(const RunConfig &config, bool withTraining)
{
    ReportSection section{.title = "Appendix: all settings", .newPage = true};
    ReportTable table{.columns = {"Group", "Setting", "Value", "Origin"}, .numeric = {false, false, false, false}};
    const RunConfig defaults = settledDefaults();
    for (const Setting &setting : settings()) {
        if (setting.runOnly && !withTraining)
            continue;
        const std::string value = settingText(setting, config);
        if (value.empty())
            continue;
        table.rows.push_back({titleCase(enumName(setting.group)), std::string(setting.key), value,
            value == settingText(setting, defaults) ? "default" : ""});
    }
    section.tables.push_back(std::move(table));
    return section;
}

ReportSeries curveOverSteps(
    const RunData &run, const std::string &name, const std::function<double(const StepMetrics &)> &value)
{
    std::vector<double> x, y;
    for (const StepMetrics &step : run.metrics) {
        x.push_back(static_cast<double>(step.step));
        y.push_back(value(step));
    }
    ReportSeries series{.name = name};
    for (const EnvelopeBucket &bucket : envelope(x, y, kPointsInPrint)) {
        series.x.push_back(bucket.x);
        series.y.push_back(bucket.points > 0 ? bucket.last : std::nan(""));
        series.low.push_back(bucket.points > 0 ? bucket.min : std::nan(""));
        series.high.push_back(bucket.points > 0 ? bucket.max : std::nan(""));
    }
    return series;
}

std::string speedSentence()
{
    return fmt::format(
        "Tokens/s, step time and MFU are medians of the last {} steps, without the first 3 steps of each "
        "attempt.",
        kSpeedSteps);
}

std::string formatPercent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string formatRange(const std::string &low, const std::string &high) { return low + " to " + high; }

std::string formatInUnit(std::optional<double> value, const std::string &unit)
{
    if (!value)
        return "unknown";
    if (unit == "bytes")
        return formatBytes(static_cast<Bytes>(std::llround(*value)));
    if (unit == "s")
        return formatSeconds(*value);
    if (unit == "USD")
        return formatUsd(*value);
    if (unit == "fraction")
        return formatPercent(*value);
    if (unit == "nats")
        return fmt::format("{:.4f}", *value);
    return formatCount(*value) + (unit.empty() ? "" : " " + unit);
}

std::string titleCase(std::string_view name)
{
    std::string text(name);
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

} // namespace slipway
