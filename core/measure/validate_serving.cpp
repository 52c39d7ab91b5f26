// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/validate_serving.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_values.h"
#include "base/text.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kServedMetrics = EnumNames<ServedMetric>::names.size();

bool isSetting(const std::string &column)
{
    const auto shared = sharedSettingKeys();
    return std::find(shared.begin(), shared.end(), column) != shared.end() ||
           std::any_of(serveSettings().begin(), serveSettings().end(),
               [&](const ServeSetting &setting) { return setting.key == column; });
}

Result<ServeConfig> configOf(const CsvTable &table, const CsvRow &row)
{
    ServeConfig config;
    // The model is set first, because it resets the sizes that were changed for another model.
    for (const bool model : {true, false}) {
        for (std::size_t c = 0; c < table.header.size(); ++c) {
            const std::string text(trimmed(row.cells[c]));
            if ((table.header[c] == "model") != model || text.empty() || !isSetting(table.header[c]))
                continue;
            if (const Result<void> set = setServeSetting(config, table.header[c], text); !set)
                return set.error();
        }
    }
    return config;
}

double predictedOf(const Serving &s, ServedMetric metric)
{
    switch (metric) {
    case ServedMetric::Ttft:
        return 1e3 * prefillTime(s, 1);
    case ServedMetric::Tpot:
        return 1e3 * decodeTime(s, s.config.batch);
    case ServedMetric::TokensPerSecond:
        return throughput(s, s.config.batch);
    case ServedMetric::DecodeKernels:
        break;
    }
    return 1e3 * decodeKernelTime(s, s.config.batch);
}

std::string reasonOf(const CsvTable &table, const CsvRow &row, const Error &error)
{
    std::string column = error.where.starts_with("--") ? error.where.substr(2) : error.where;
    std::replace(column.begin(), column.end(), '-', '_');
    return fmt::format("{}: {}{}{}{}", table.location(row), column, column.empty() ? "" : ": ", error.what,
        error.accepted.empty() ? "" : " (accepted: " + error.accepted + ")");
}

// Reads the measured values. An error names the cell.
Result<void> readMetrics(ServedRow &served, const CsvTable &table, const CsvRow &row)
{
    bool any = false;
    for (std::size_t m = 0; m < kServedMetrics; ++m) {
        const std::string_view name = EnumNames<ServedMetric>::names[m], cell = trimmed(table.cell(row, name));
        if (cell.empty())
            continue;
        const auto value = parseNumber(cell);
        if (!value || !(*value > 0) || *value > 1e12)
            return Error{.what = "'" + std::string(cell.substr(0, 60)) + "' is not a measured value",
                .where = std::string(name),
                .accepted = "a number above 0"};
        served.measured[m] = value;
        any = true;
    }
    return any ? Result<void>() : Error{.what = "nothing was measured", .accepted = enumChoices<ServedMetric>()};
}

Result<void> predict(ServedRow &served, const CsvTable &table, const CsvRow &row, const Catalogue &catalogue,
    const Frameworks &frameworks)
{
    if (!row.fault.empty())
        return Error{.what = row.fault};
    if (const Result<void> read = readMetrics(served, table, row); !read)
        return read;
    Result<ServeConfig> config = configOf(table, row);
    if (!config)
        return config.error();
    served.config = *std::move(config);
    const Result<Serving> s = resolveServing(served.config, catalogue, frameworks, Lengths::AsMeasured);
    if (!s)
        return s.error();
    served.gpu = s->gpu.id;
    served.framework = s->software.id;
    for (std::size_t m = 0; m < kServedMetrics; ++m) {
        if (served.measured[m])
            served.predicted[m] = predictedOf(*s, static_cast<ServedMetric>(m));
    }
    return {};
}

void addSummaries(ServingValidation &v)
{
    const std::array<std::pair<std::string, std::function<std::string(const ServedRow &)>>, 5> groups{{
        {"all", [](const ServedRow &) { return std::string("all"); }},
        {"source", [](const ServedRow &r) { return r.source; }},
        {"gpu", [](const ServedRow &r) { return r.gpu; }},
        {"framework", [](const ServedRow &r) { return r.framework; }},
        {"use", [](const ServedRow &r) { return r.use; }},
    }};
    for (const auto &[by, valueOf] : groups) {
        std::map<std::pair<std::string, std::size_t>, Errors> errors;
        for (const ServedRow &row : v.rows) {
            for (std::size_t m = 0; m < kServedMetrics; ++m) {
                if (row.predicted[m] && !valueOf(row).empty())
                    errors[{valueOf(row), m}].add(row.id, *row.measured[m], {.value = *row.predicted[m]});
            }
        }
        for (const auto &[key, error] : errors)
            v.summary.push_back(error.of(by, key.first, std::string(EnumNames<ServedMetric>::names[key.second])));
    }
}

} // namespace

bool isServingTable(const CsvTable &table)
{
    return std::any_of(EnumNames<ServedMetric>::names.begin(), EnumNames<ServedMetric>::names.end(),
        [&](std::string_view name) { return name != "tokens_per_s" && table.column(name).has_value(); });
}

ServingValidation validateServing(const CsvTable &table, const Catalogue &catalogue, const Frameworks &frameworks)
{
    ServingValidation v;
    for (const CsvRow &row : table.rows) {
        const auto cell = [&](const char *column) { return std::string(trimmed(table.cell(row, column))); };
        ServedRow served{.id = cell("id"), .source = cell("source"), .use = cell("use")};
        if (served.id.empty())
            served.id = std::to_string(row.line);
        if (const Result<void> predicted = predict(served, table, row, catalogue, frameworks); !predicted)
            served.skipped = reasonOf(table, row, predicted.error());
        v.rows.push_back(std::move(served));
    }
    addSummaries(v);
    return v;
}

Json toJson(const ServingValidation &v)
{
    Json rows = Json::array(), summary = Json::array();
    for (const ServedRow &row : v.rows) {
        Json json{{"id", row.id}};
        for (std::size_t m = 0; m < kServedMetrics; ++m)
            json[std::string(EnumNames<ServedMetric>::names[m])] = {
                {"measured", orNull(row.measured[m])}, {"predicted", orNull(row.predicted[m])}};
        json["skipped"] = row.skipped.empty() ? Json(nullptr) : Json(row.skipped);
        rows.push_back(std::move(json));
    }
    for (const ErrorSummary &s : v.summary)
        summary.push_back({{"by", s.by}, {"value", s.value}, {"metric", s.metric}, {"rows", s.rows},
            {"mape", s.meanAbsolute}, {"bias", s.bias}, {"max", s.largest}, {"worst_id", s.worstId},
            {"residual_p10", s.p10}, {"residual_p50", s.p50}, {"residual_p90", s.p90}});
    return {{"version", 1}, {"rows", rows}, {"summary", summary}};
}

std::string toText(const ServingValidation &v)
{
    std::string text = fmt::format("{:<10} {:<32} {:<18} {:>5} {:>8} {:>8} {:>8} {:>16}  {}\n", "by", "value", "metric",
        "rows", "mape", "bias", "max", "of predicted", "worst");
    for (const ErrorSummary &s : v.summary)
        text += fmt::format("{:<10} {:<32} {:<18} {:>5} {:>6.1f} % {:>+6.1f} % {:>+6.1f} % {:>4.2f} {:>4.2f} {:>4.2f} "
                            "  {}\n",
            s.by, s.value.substr(0, 32), s.metric, s.rows, 100 * s.meanAbsolute, 100 * s.bias, 100 * s.largest, s.p10,
            s.p50, s.p90, s.worstId);
    int skipped = 0;
    for (const ServedRow &row : v.rows) {
        if (row.skipped.empty())
            continue;
        if (++skipped <= kListed)
            text += (skipped == 1 ? "\nskipped " : "skipped ") + row.id + ": " + row.skipped + "\n";
    }
    if (skipped > kListed)
        text += fmt::format("and {} more; --json and --csv list all\n", skipped - kListed);
    return text + fmt::format("\n{} rows, {} skipped.\n", v.rows.size(), skipped);
}

std::string toCsv(const ServingValidation &v)
{
    std::vector<std::string> header{"id", "source"};
    for (const std::string_view name : EnumNames<ServedMetric>::names)
        header.insert(header.end(), {std::string(name) + "_measured", std::string(name) + "_predicted"});
    header.emplace_back("skipped");
    std::string csv = csvRecord(header);
    const auto number = [](const std::optional<double> &value) { return value ? formatExact(*value) : std::string(); };
    for (const ServedRow &row : v.rows) {
        std::vector<std::string> cells{row.id, row.source};
        for (std::size_t m = 0; m < kServedMetrics; ++m)
            cells.insert(cells.end(), {number(row.measured[m]), number(row.predicted[m])});
        cells.push_back(row.skipped);
        csv += csvRecord(cells);
    }
    return csv;
}

} // namespace slipway
