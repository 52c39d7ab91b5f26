// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a person wrote on a run after it was launched: tags and notes. They lie in the run directory (labels.json), so
// that they go where the run goes; run.yaml, which says what was launched, stays as it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/run_directory.h"

namespace slipway {

struct Labels {
    std::vector<std::string> tags; // sorted, each once
    std::string notes;
    bool operator==(const Labels &) const = default;
};

std::filesystem::path labelsFile(const RunPaths &paths);
// labels.json, else what run.yaml says (`launched`). A damaged file counts as none.
Labels readLabels(const RunPaths &paths, const Labels &launched);
// Tags are trimmed and sorted; an empty one, or one with a control character, is refused.
Result<void> writeLabels(const RunPaths &paths, Labels labels);

} // namespace slipway
