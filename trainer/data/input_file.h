// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A large file that is read piece by piece, at any place. It is not mapped: where somebody cuts a mapped file short,
// the system ends the process that touches what is gone (SIGBUS). A read of the same bytes fails, and says so.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

class InputFile {
public:
    // Fault::Input where there is no such file or it is no regular one, Fault::Outside where the system refuses it.
    static Result<InputFile> open(const std::filesystem::path &path);

    [[nodiscard]] Bytes size() const { return m_size; } // when it was opened
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    // Fills `out` with the bytes from `offset` on. Fault::Damaged where the file does not reach so far, or not any
    // more.
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

} // namespace slipway
