// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A large file with random access. It is not memory-mapped: if a mapped file is truncated, accessing it kills the
// process (SIGBUS), while reading it returns an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

class InputFile {
public:
    // Fault::Input if the file does not exist or is not regular, Fault::Outside if the system fails to open it.
    static Result<InputFile> open(const std::filesystem::path &path);

    [[nodiscard]] Bytes size() const { return m_size; } // at the time of opening
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    // Fills `out` with the bytes from `offset` on. Fault::Damaged if the file is too short, or has become so.
    [[nodiscard]] Result<void> read(Bytes offset, std::span<std::byte> out) const;

private:
    InputFile(std::filesystem::path path, FileDescriptor file, Bytes size)
        : m_path(std::move(path)),
          m_file(std::move(file)),
          m_size(size)
    {
    }

    std::filesystem::path m_path;
    FileDescriptor m_file;
    Bytes m_size;
};

// The error for a file whose contents are wrong.
Error damagedFile(const std::filesystem::path &path, std::string what, std::string accepted = {});

} // namespace slipway
