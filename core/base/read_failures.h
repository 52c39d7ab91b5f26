// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads that the system refused for want of means: too many open files, no memory, a failing disk. Who reads a file
// that may be missing takes such a failure for a missing file. What was made of it is then incomplete, and is neither
// kept nor written over what is there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace slipway {

// A file or folder that could not be opened, with the system's error number. A missing one, or one without permission,
// does not count. Any thread.
void noteReadFailure(const std::filesystem::path &path, int errorNumber);

// Of this process.
std::size_t readFailures();
std::optional<Error> firstReadFailure();

} // namespace slipway
