// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs of other tools, to compare with: a table that W&B or TensorBoard exported becomes a run directory of its own,
// with metrics and no settings but its name. `imported.json` says where it came from.
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
    std::vector<StepMetrics> metrics;        // by rising step
    std::vector<std::string> taken, ignored; // columns or tags
    std::string tool;                        // "wandb", "tensorboard"
};

// One or more files of the same run: TensorBoard's scalar download (CSV "Wall time,Step,Value" or JSON [[time, step,
// value], ...]; the tag is in the file's name), W&B's table export (CSV, "Step" first) or history (CSV or JSON lines
// with _step). Damaged rows are errors that name the line.
Result<ImportedMetrics> readExports(const std::vector<std::filesystem::path> &files);

// Makes a run directory of them in the registry.
Result<std::filesystem::path> importRun(
    const std::string &name, const std::vector<std::filesystem::path> &files, const Registry &registry);

} // namespace slipway
