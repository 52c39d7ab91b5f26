// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ensures that only one trainer writes to a run directory, by a lock on its file `lock`.
#pragma once

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace slipway {

class RunLock {
public:
    // Fault::Input if another process has the lock, Fault::Outside if the directory cannot be written.
    static Result<RunLock> acquire(const std::filesystem::path &directory);

private:
    explicit RunLock(FileDescriptor file) : m_file(std::move(file)) {}
    FileDescriptor m_file;
};

} // namespace slipway
