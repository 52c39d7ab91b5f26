// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Records reads that failed for lack of system resources: too many open files, no memory, a failing disk. Code that
// reads optional files treats such a failure like a missing file. Its result is then incomplete, and must neither be
// stored nor overwrite existing data.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace slipway {

// Records a file or folder that could not be opened, with errno. Missing files and missing permissions are not counted.
// Thread-safe.
void noteReadFailure(const std::filesystem::path &path, int errorNumber);

// The failures of this process.
std::size_t readFailures();
std::optional<Error> firstReadFailure();

} // namespace slipway
