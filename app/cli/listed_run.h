// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads a run under the name that the list of runs shows.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "runs/registry.h"
#include "runs/run_reader.h"

namespace slipway::cli {

// Reads the run that Registry::find found for `subject` in `directory`. A run of the list gets the list's name, so that
// a renamed run has its new name in reports. A run outside the list keeps the name of its configuration.
Result<RunData> readListedRun(const Registry &registry, const std::string &subject,
    const std::filesystem::path &directory, RunReader::Extent extent = RunReader::Extent::Whole);

} // namespace slipway::cli
