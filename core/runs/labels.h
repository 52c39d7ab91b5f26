// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tags and notes of a run that were edited after its launch. They are stored in the run directory (labels.json), so
// they move with the run. run.yaml keeps what was launched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/run_directory.h"

namespace slipway {

struct Labels {
    std::vector<std::string> tags; // sorted, without duplicates
    std::string notes;
    bool operator==(const Labels &) const = default;
};

std::filesystem::path labelsFile(const RunPaths &paths);
// Reads labels.json. If it is missing or damaged, returns the labels of run.yaml (`launched`).
Labels readLabels(const RunPaths &paths, const Labels &launched);
// Writes labels.json. Tags are trimmed and sorted; an empty tag, or one with a control character, is rejected.
Result<void> writeLabels(const RunPaths &paths, Labels labels);

} // namespace slipway
