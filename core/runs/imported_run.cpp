// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/imported_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr Bytes kLargestImport = 256 * kMiB; // per file
constexpr CsvLimits kTableLimits{.bytes = kLargestImport, .columns = 10'000, .rows = 5'000'000};
constexpr JsonLimits kWholeLimits{.bytes = kLargestImport, .depth = 16, .values = 10'000'000};
constexpr JsonLimits kRowLimits{.bytes = kMaxJsonLine, .depth = 16, .values = 20'000};
constexpr std::size_t kMostNames = 10'000; // metrics that are listed as used or ignored

using Setter = std::function<void(StepMetrics &, double)>;

bool has(const std::string &name, std::initializer_list<std::string_view> words)
{
    return std::any_of(
        words.begin(), words.end(), [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

template<typename T>
Setter into(T StepMetrics::*member)
{
    return [member](StepMetrics &step, double value) {
        if constexpr (std::is_same_v<T, Tokens> || std::is_same_v<T, std::optional<Bytes>>)
            step.*member = std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0;
        else
            step.*member = value;
    };
}

// The metric that another tool's name most likely means. Empty if a run has no such metric.
Setter setterOf(const std::string &shown)
{
    std::string name = toLower(shown);
    std::replace(name.begin(), name.end(), '-', '_');
    std::replace(name.begin(), name.end(), ' ', '_');
    if (has(name, {"tokens/s", "tokens_per_s", "tok/s", "tok_per_s", "throughput"}))
        return into(&StepMetrics::tokensPerSecond);
    if (has(name, {"grad_norm", "gradnorm", "gradient_norm"}))
        return into(&StepMetrics::gradNorm);
    if (has(name, {"learning_rate"}) || name == "lr" || name.ends_with("/lr") || name.ends_with("_lr"))
        return into(&StepMetrics::learningRate);
    if (has(name, {"mfu"}))
        return into(&StepMetrics::mfu);
    if (has(name, {"step_time", "iter_time", "step_s", "time_per_step"}))
        return into(&StepMetrics::stepSeconds);
    if (has(name, {"loss"}))
        return has(name, {"eval", "val"}) ? into(&StepMetrics::evalLoss) : into(&StepMetrics::loss);
    if (has(name, {"reserved"}))
        return into(&StepMetrics::reservedPeak);
    if (has(name, {"allocated"}))
        return into(&StepMetrics::allocatedPeak);
    if (has(name, {"tokens"}))
        return into(&StepMetrics::tokens);
    return {};
}

std::string timeOf(double secondsSinceEpoch)
{
    if (!(secondsSinceEpoch > 0) || secondsSinceEpoch > 4e9)
        return {};
    return toIso8601(std::chrono::system_clock::time_point(
        std::chrono::milliseconds(static_cast<std::int64_t>(secondsSinceEpoch * 1000))));
}

// Merges rows of several files by step.
class Gatherer {
public:
    StepMetrics &at(double step)
    {
        return m_steps.try_emplace(static_cast<std::int64_t>(step), fresh(static_cast<std::int64_t>(step)))
            .first->second;
    }
    // The function that sets a metric of another tool. Empty if a run has no such metric. Lists the name of the metric.
    const Setter &use(const std::string &name)
    {
        const auto [place, isNew] = m_setters.try_emplace(name);
        if (!isNew)
            return place->second;
        place->second = setterOf(name);
        std::vector<std::string> &list = place->second ? m_result.taken : m_result.ignored;
        if (list.size() < kMostNames)
            list.push_back(name);
        return place->second;
    }
    void setTool(const std::string &tool) { m_result.tool = tool; }
    ImportedMetrics finish()
    {
        for (auto &[step, metrics] : m_steps)
            m_result.metrics.push_back(std::move(metrics));
        return std::move(m_result);
    }

private:
    static StepMetrics fresh(std::int64_t step) { return {.step = step, .loss = std::nan("")}; }
    std::map<std::int64_t, StepMetrics> m_steps;
    std::unordered_map<std::string, Setter> m_setters;
    ImportedMetrics m_result;
};

Error badNumber(const std::string &where, std::string_view cell)
{
    return {.what = "'" + std::string(cell.substr(0, 40)) + "' is not a number",
        .where = where,
        .accepted = "a number, NaN, or nothing"};
}

// Returns the value of a cell, or nothing if the cell is empty. NaN and infinity are values.
Result<std::optional<double>> cellValue(std::string_view cell, const std::string &where)
{
    const std::string word = toLower(trimmed(cell));
    if (word.empty() || word == "null" || word == "none")
        return std::optional<double>();
    if (word == "nan")
        return std::optional(std::nan(""));
    if (word == "infinity" || word == "inf")
        return std::optional(static_cast<double>(INFINITY));
    if (const auto value = parseNumber(word))
        return value;
    return badNumber(where, cell);
}

// "run-.-tag-train_loss.csv" -> "train_loss"; otherwise the name of the file.
std::string tagOf(const fs::path &file)
{
    const std::string stem = file.stem().string();
    const std::size_t at = stem.find("-tag-");
    return at == std::string::npos ? stem : stem.substr(at + 5);
}

Result<void> takeScalar(
    Gatherer &all, const std::string &tag, double time, double step, double value, const std::string &where)
{
    if (!(step >= 0) || step > 9e15)
        return badNumber(where, formatExact(step));
    const Setter &set = all.use(tag);
    if (!set)
        return {};
    StepMetrics &metrics = all.at(step);
    set(metrics, value);
    if (metrics.time.empty())
        metrics.time = timeOf(time);
    return {};
}

Result<void> takeTensorboardCsv(Gatherer &all, const CsvTable &table, const fs::path &file)
{
    all.setTool("tensorboard");
    for (const CsvRow &row : table.rows) {
        const auto time = cellValue(table.cell(row, "Wall time"), table.location(row)),
                   step = cellValue(table.cell(row, "Step"), table.location(row)),
                   value = cellValue(table.cell(row, "Value"), table.location(row));
        for (const auto *cell : {&time, &step, &value}) {
            if (!*cell)
                return cell->error();
        }
        if (!*step)
            return badNumber(table.location(row), "");
        if (const Result<void> taken = takeScalar(
                all, tagOf(file), time->value_or(0), **step, value->value_or(std::nan("")), table.location(row));
            !taken)
            return taken;
    }
    return {};
}

// "my-run - train/loss" -> "train/loss". The __MIN and __MAX columns of a sampled curve have no values of single steps.
std::string wandbMetric(const std::string &column)
{
    if (column.ends_with("__MIN") || column.ends_with("__MAX"))
        return {};
    const std::size_t at = column.rfind(" - ");
    return at == std::string::npos ? column : column.substr(at + 3);
}

Result<void> takeWandbCsv(Gatherer &all, const CsvTable &table, std::size_t stepColumn)
{
    all.setTool("wandb");
    const auto timeColumn = table.column("_timestamp");
    std::vector<Setter> setters(table.header.size());
    for (std::size_t i = 0; i < setters.size(); ++i) {
        const std::string metric = wandbMetric(table.header[i]);
        if (metric.empty() || i == stepColumn || metric.starts_with('_'))
            continue;
        setters[i] = all.use(metric);
    }
    for (const CsvRow &row : table.rows) {
        const auto step = cellValue(row.cells[stepColumn], table.location(row));
        if (!step)
            return step.error();
        if (!*step || !(**step >= 0) || **step > 9e15)
            return badNumber(table.location(row), row.cells[stepColumn]);
        for (std::size_t i = 0; i < setters.size(); ++i) {
            const auto value = setters[i] ? cellValue(row.cells[i], table.location(row))
                                          : Result<std::optional<double>>(std::optional<double>());
            if (!value)
                return value.error();
            if (*value)
                setters[i](all.at(**step), **value);
        }
        if (timeColumn) {
            if (const auto time = cellValue(row.cells[*timeColumn], table.location(row)); time && *time)
                all.at(**step).time = timeOf(**time);
        }
    }
    return {};
}

std::optional<double> jsonNumber(const nlohmann::json &value)
{
    if (value.is_number())
        return value.get<double>();
    if (value.is_string() && toLower(value.get<std::string>()) == "nan")
        return std::nan("");
    return std::nullopt;
}

Result<void> takeWandbRow(Gatherer &all, const nlohmann::json &row, const std::string &where)
{
    all.setTool("wandb");
    const auto stepAt = row.find("_step");
    const std::optional<double> step = stepAt == row.end() ? std::nullopt : jsonNumber(*stepAt);
    if (!step || !(*step >= 0) || *step > 9e15)
        return Error{.what = "has no _step", .where = where, .accepted = "rows of W&B's history"};
    const auto timeAt = row.find("_timestamp");
    for (const auto &[name, value] : row.items()) {
        const auto number = jsonNumber(value);
        if (!number || name.starts_with('_'))
            continue;
        if (const Result<void> taken =
                takeScalar(all, name, timeAt == row.end() ? 0 : jsonNumber(*timeAt).value_or(0), *step, *number, where);
            !taken)
            return taken;
    }
    return {};
}

// TensorBoard: [[wall time, step, value], ...]
Result<void> takeTensorboardJson(Gatherer &all, const nlohmann::json &points, const fs::path &file)
{
    all.setTool("tensorboard");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::string where = file.string() + ": entry " + std::to_string(i + 1);
        const nlohmann::json &point = points[i];
        if (!point.is_array() || point.size() != 3 || !jsonNumber(point[0]) || !jsonNumber(point[1]) ||
            !jsonNumber(point[2]))
            return Error{.what = "is not a point of a curve", .where = where, .accepted = "[wall time, step, value]"};
        if (const Result<void> taken = takeScalar(
                all, tagOf(file), *jsonNumber(point[0]), *jsonNumber(point[1]), *jsonNumber(point[2]), where);
            !taken)
            return taken;
    }
    return {};
}

Result<void> takeWandbRows(Gatherer &all, const nlohmann::json &rows, const fs::path &file)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (const Result<void> taken = takeWandbRow(all, rows[i].is_object() ? rows[i] : nlohmann::json::object(),
                file.string() + ": row " + std::to_string(i + 1));
            !taken)
            return taken;
    }
    return {};
}

// W&B: one object per line.
Result<void> takeWandbLines(Gatherer &all, std::string_view text, const fs::path &file)
{
    std::size_t line = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (trimmed(part).empty())
            continue;
        const Result<nlohmann::json> row = parseJson(part, kRowLimits);
        const std::string where = file.string() + ":" + std::to_string(line);
        if (!row || !row->is_object())
            return Error{.what = row ? "is not a JSON object" : row.error().what,
                .where = where,
                .accepted = "an export of W&B or TensorBoard: CSV or JSON"};
        if (const Result<void> taken = takeWandbRow(all, *row, where); !taken)
            return taken;
    }
    return {};
}

Result<void> takeJson(Gatherer &all, const std::string &text, const fs::path &file)
{
    const Result<nlohmann::json> whole = parseJsonFile(text, file.string(), kWholeLimits);
    if (!whole && trimmed(text).starts_with('['))
        return Error{
            .what = whole.error().what, .where = whole.error().where, .accepted = "an export of W&B or TensorBoard"};
    if (!whole)
        return takeWandbLines(all, text, file);
    if (whole->is_array() && !whole->empty() && whole->front().is_array())
        return takeTensorboardJson(all, *whole, file);
    return takeWandbRows(all, whole->is_array() ? *whole : nlohmann::json::array({*whole}), file);
}

Result<void> takeFile(Gatherer &all, const fs::path &file)
{
    const Result<std::string> text = readFile(file, kLargestImport);
    if (!text)
        return text.error();
    const std::string_view begun = trimmed(*text);
    if (!begun.empty() && (begun.front() == '[' || begun.front() == '{'))
        return takeJson(all, *text, file);
    const Result<CsvTable> table = parseCsv(*text, file.string(), kTableLimits);
    if (!table)
        return table.error();
    if (table->column("Wall time") && table->column("Step") && table->column("Value"))
        return takeTensorboardCsv(all, *table, file);
    for (const char *name : {"Step", "_step"}) {
        if (const auto column = table->column(name))
            return takeWandbCsv(all, *table, *column);
    }
    return Error{.what = "is not an export in a known format",
        .where = file.string() + ":1",
        .accepted = "TensorBoard's \"Wall time,Step,Value\", or a table of W&B with a column Step or _step"};
}

} // namespace

bool isImported(const RunPaths &paths)
{
    std::error_code ignored;
    return fs::exists(paths.directory / "imported.json", ignored);
}

Result<ImportedMetrics> readExports(const std::vector<fs::path> &files)
{
    Gatherer all;
    for (const fs::path &file : files) {
        if (const Result<void> taken = takeFile(all, file); !taken)
            return taken.error();
    }
    ImportedMetrics result = all.finish();
    if (result.metrics.empty())
        return Error{.what = "contains no known metric",
            .where = files.empty() ? "" : files.front().string(),
            .accepted = "loss, tokens/s, learning rate, gradient norm, MFU, memory; of TensorBoard's tables the file's "
                        "name tells which: run-NAME-tag-loss.csv"};
    return result;
}

Result<fs::path> importRun(const std::string &name, const std::vector<fs::path> &files, const Registry &registry)
{
    const Result<ImportedMetrics> read = readExports(files);
    if (!read)
        return read.error();
    const Result<fs::path> directory = registry.create(name.empty() ? files.front().stem().string() : name);
    if (!directory)
        return directory.error();
    std::string lines;
    for (const StepMetrics &metrics : read->metrics)
        lines += toJsonLine(metrics) + "\n";
    nlohmann::ordered_json from{{"version", 1}, {"tool", read->tool}, {"files", nlohmann::ordered_json::array()},
        {"taken", read->taken}, {"ignored", read->ignored}};
    for (const fs::path &file : files)
        from["files"].push_back(file.string());
    const RunPaths paths{*directory};
    const std::string title = name.empty() ? directory->filename().string() : name;
    // run.yaml is written last: until then, the folder does not count as a run, and a failure leaves no run.
    for (const auto &[path, text] : {std::pair{paths.metrics(), lines},
             std::pair{paths.directory / "imported.json",
                 from.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"},
             std::pair{paths.exitStatus(), std::string("0\n")},
             std::pair{paths.config(), "name: " + yamlScalar(title) + "\ntags: [imported, " + read->tool + "]\n"}}) {
        if (const Result<void> written = writePrivateFile(path, text); !written) {
            std::error_code ignored;
            fs::remove_all(*directory, ignored); // it is new and holds no run
            return written.error();
        }
    }
    return *directory;
}

} // namespace slipway
