// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A file of lines that grows at its end. Each line is written in one go, so that a reader sees whole lines and a crash
// cuts at most the last one.
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
    // A private file of the run folder, made where it is missing. A last line that a crash has cut is ended first, so
    // that the next one stays whole.
    static Result<AppendFile> open(const std::filesystem::path &path);

    // `line` without its newline. On a failure (disk full) nothing of it stays in the file.
    Result<void> append(std::string_view line);

private:
    AppendFile(std::filesystem::path path, FileDescriptor file) : m_path(std::move(path)), m_file(std::move(file)) {}
    std::filesystem::path m_path;
    FileDescriptor m_file;
};

} // namespace slipway
