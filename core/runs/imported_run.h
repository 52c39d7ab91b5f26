// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Imports runs of other tools for comparison: a table that W&B or TensorBoard exported becomes a run directory, which
// has metrics and no settings except its name. `imported.json` records the origin.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/registry.h"
#include "runs/run_directory.h"

namespace slipway {

bool isImported(const RunPaths &paths);

struct ImportedMetrics {
    std::vector<StepMetrics> metrics;        // by ascending step
    std::vector<std::string> taken, ignored; // columns or tags that were imported, and those that were not
    std::string tool;                        // "wandb", "tensorboard"
};

// Reads one or more files of the same run: TensorBoard's scalar download (CSV "Wall time,Step,Value" or JSON [[time,
// step, value], ...]; the file name contains the tag), W&B's table export (CSV, "Step" first) or history (CSV or JSON
// lines with _step). Damaged rows are errors that name the line.
Result<ImportedMetrics> readExports(const std::vector<std::filesystem::path> &files);

// Creates a run directory in the registry from such files.
Result<std::filesystem::path> importRun(
    const std::string &name, const std::vector<std::filesystem::path> &files, const Registry &registry);

} // namespace slipway
