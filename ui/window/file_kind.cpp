// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/file_kind.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "base/text.h"
#include "config/config_io.h"
#include "explore/grid.h"
#include "runs/run_directory.h"

namespace slipway::ui {

namespace fs = std::filesystem;

namespace {

constexpr std::streamsize kLookedAt = std::streamsize{64} * 1024;

bool isRunDirectory(const fs::path &folder)
{
    std::error_code failure;
    const RunPaths paths{folder};
    return fs::exists(paths.events(), failure) || fs::exists(paths.metrics(), failure);
}

Result<std::string> readBeginning(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(kLookedAt, '\0');
    file.read(text.data(), kLookedAt);
    if (file.bad() || (!file && !file.eof()))
        return Error{.what = "the file cannot be read", .where = path.string(), .fault = Fault::Outside};
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

Error unknownFile(const fs::path &path)
{
    return {.what = "the file has no known format",
        .where = path.string(),
        .accepted = "a configuration or grid (YAML), a model's config.json, a run directory, exported metrics (CSV, "
                    "JSON), a price list (CSV), a measurement table (CSV) or a training log"};
}

bool hasColumns(std::string_view header, std::initializer_list<std::string_view> names)
{
    const std::vector<std::string_view> cells = split(header, ',');
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
        return std::any_of(cells.begin(), cells.end(), [&](std::string_view cell) { return trimmed(cell) == name; });
    });
}

FileKind kindOfTable(const std::string &text)
{
    const std::string_view header = split(text, '\n').front();
    if (hasColumns(header, {"InstanceType", "AcceleratorName"}))
        return FileKind::PriceList;
    if (hasColumns(header, {"micro_batch_size", "gpu"}))
        return FileKind::Measurements;
    return FileKind::Metrics;
}

// Returns Configuration unless the file is valid only as a grid, so that an invalid file is reported as an invalid
// configuration.
FileKind kindOfYaml(const fs::path &path)
{
    return !readRunConfig(path) && readGrid(path.string()) ? FileKind::Grid : FileKind::Configuration;
}

Result<RecognizedFile> recognizeFolder(const fs::path &folder)
{
    std::error_code failure;
    if (isRunDirectory(folder))
        return RecognizedFile{FileKind::Run, folder};
    if (fs::exists(folder / "config.json", failure))
        return RecognizedFile{FileKind::Model, folder / "config.json"};
    return Error{.what = "the folder is not a run directory",
        .where = folder.string(),
        .accepted = "a folder with metrics.jsonl, or with the config.json of a model"};
}

} // namespace

Result<RecognizedFile> recognizeFile(const fs::path &path)
{
    std::error_code failure;
    if (fs::is_directory(path, failure))
        return recognizeFolder(path);
    if (!fs::exists(path, failure))
        return Error{.what = "there is no such file", .where = path.string()};
    if (!fs::is_regular_file(path, failure))
        return unknownFile(path);
    const Result<std::string> text = readBeginning(path);
    if (!text)
        return text.error();
    const std::string name = path.filename().string(), extension = toLower(path.extension().string());
    if ((name == "metrics.jsonl" || name == "events.jsonl") && isRunDirectory(path.parent_path()))
        return RecognizedFile{FileKind::Run, path.parent_path()};
    if (extension == ".yaml" || extension == ".yml")
        return RecognizedFile{kindOfYaml(path), path};
    if (text->find('\0') != std::string::npos)
        return unknownFile(path);
    if (extension == ".csv")
        return RecognizedFile{kindOfTable(*text), path};
    if (extension == ".jsonl")
        return RecognizedFile{FileKind::Metrics, path};
    if (extension == ".json") {
        const bool model = name == "config.json" || text->find("\"hidden_size\"") != std::string::npos ||
                           text->find("\"n_embd\"") != std::string::npos;
        return RecognizedFile{model ? FileKind::Model : FileKind::Metrics, path};
    }
    if (extension == ".log" || extension == ".txt" || extension == ".out" || extension == ".err")
        return RecognizedFile{FileKind::Log, path};
    return unknownFile(path);
}

} // namespace slipway::ui
