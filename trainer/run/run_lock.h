// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Two trainers never write one run directory: the first holds a lock on its file `lock` as long as it lives.
#pragma once

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace slipway {

class RunLock {
public:
    // Fault::Input where another process holds it, Fault::Outside where the directory cannot be written.
    static Result<RunLock> take(const std::filesystem::path &directory);

private:
    explicit RunLock(FileDescriptor file) : m_file(std::move(file)) {}
    FileDescriptor m_file;
};

} // namespace slipway
