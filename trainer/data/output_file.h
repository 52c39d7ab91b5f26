// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A large file that appears under its name only when it is complete: it is written under a temporary name, and commit()
// syncs and renames it. Without commit(), it is removed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

// Permissions of a new file: readable by its owner only, as all files of a run directory, or by the umask.
enum class FileAccess { Private, OfUmask };

class OutputFile {
public:
    // Failures are Fault::Outside with the system's reason: disk full, permission denied.
    static Result<OutputFile> create(const std::filesystem::path &path, FileAccess access = FileAccess::OfUmask);
    // Writes under the name unfinishedName(path), which remains if the process is killed. Continues after the first
    // `size` bytes of an earlier process; 0: starts from the beginning. Fault::Damaged if there are fewer bytes,
    // Fault::Outside if another process is writing the file.
    static Result<OutputFile> unfinished(const std::filesystem::path &path, Bytes size);
    static std::filesystem::path unfinishedName(const std::filesystem::path &path);
    OutputFile(OutputFile &&) = default;
    OutputFile &operator=(OutputFile &&) = delete;
    ~OutputFile();

    Result<void> append(std::span<const std::byte> data);
    // Replaces bytes that are already appended, such as a header.
    Result<void> overwrite(Bytes offset, std::span<const std::byte> data);
    Result<void> commit();
    // Flushes to disk, so that appended bytes survive a power cut.
    Result<void> sync();
    // Closes the file and keeps it under its unfinished name, up to the last sync(). Nothing can be appended
    // afterwards.
    void keepUnfinished() { m_file.close(); }
    [[nodiscard]] Bytes size() const { return m_size; }

private:
    OutputFile() = default;
    [[nodiscard]] Error failure(int errorNumber) const;
    Result<void> flush();

    std::filesystem::path m_path, m_temporary;
    FileDescriptor m_file; // of the temporary file; closed by commit()
    Bytes m_size = 0;
    std::vector<std::byte> m_pending; // buffer for small appends
};

// Flushes the entries of a folder to disk. File systems that do not support it are ignored.
void syncFolder(const std::filesystem::path &folder);

} // namespace slipway
