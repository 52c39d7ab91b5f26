// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A large file that is written piece by piece and appears under its name only when it is whole: it grows beside its
// target, and commit() syncs and renames it. Without commit() nothing is left of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

// Who may read a new file: its owner alone, as of all that a run folder holds, or whom the umask lets.
enum class FileAccess { Private, OfUmask };

class OutputFile {
public:
    // Every failure is Fault::Outside with the system's reason: disk full, permission denied.
    static Result<OutputFile> create(const std::filesystem::path &path, FileAccess access = FileAccess::OfUmask);
    // Grows under the name unfinishedName(path), which outlives a process that is killed. Continues behind the first
    // `size` bytes of what an earlier process left there; 0: begins anew. Fault::Damaged where less was left, and
    // Fault::Outside where another process writes it at this time.
    static Result<OutputFile> unfinished(const std::filesystem::path &path, Bytes size);
    static std::filesystem::path unfinishedName(const std::filesystem::path &path);
    OutputFile(OutputFile &&) = default;
    OutputFile &operator=(OutputFile &&) = delete;
    ~OutputFile();

    Result<void> append(std::span<const std::byte> data);
    // Replaces bytes already appended: a header that is known at the end.
    Result<void> overwrite(Bytes offset, std::span<const std::byte> data);
    Result<void> commit();
    // What was appended survives a power cut.
    Result<void> sync();
    // Stays under its unfinished name, as far as sync() went; nothing can be appended any more.
    void leave() { m_file.close(); }
    [[nodiscard]] Bytes size() const { return m_size; }

private:
    OutputFile() = default;
    [[nodiscard]] Error failure(int errorNumber) const;
    Result<void> flush();

    std::filesystem::path m_path, m_temporary;
    FileDescriptor m_file; // of the temporary file; closed once it has its name
    Bytes m_size = 0;
    std::vector<std::byte> m_pending; // small appends are gathered
};

// Makes the entries of a folder survive a power cut; a file system that cannot do it has still renamed.
void syncFolder(const std::filesystem::path &folder);

} // namespace slipway
