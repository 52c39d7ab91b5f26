// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A file to which lines are appended. Each line is one write call, so that readers see complete lines and a crash can
// truncate only the last one.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

class AppendFile {
public:
    // A private file of the run directory, created if it is missing. If a crash has truncated the last line, a newline
    // is appended first, so that the next line is intact.
    static Result<AppendFile> open(const std::filesystem::path &path);

    // Appends `line` and a newline. On failure (disk full), nothing of it remains in the file.
    Result<void> append(std::string_view line);

private:
    AppendFile(std::filesystem::path path, FileDescriptor file) : m_path(std::move(path)), m_file(std::move(file)) {}
    std::filesystem::path m_path;
    FileDescriptor m_file;
};

} // namespace slipway
