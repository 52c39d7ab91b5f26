// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report_tables.h"

#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "config/settings.h"

namespace slipway {

ReportSection configurationSection(const RunConfig &config, bool withTraining)
{
    ReportSection section{.title = "Configuration"};
    ReportTable table{.columns = {"Group", "Setting", "Value", ""}, .numeric = {false, false, false, false}};
    for (const Setting &setting : settings()) {
        if (setting.runOnly && !withTraining)
            continue;
        const std::string value = settingText(setting, config);
        if (value.empty())
            continue;
        table.rows.push_back({titleCase(enumName(setting.group)), std::string(setting.key), value,
            isDefault(setting, config) ? "default" : ""});
    }
    section.tables.push_back(std::move(table));
    return section;
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
