// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The local copy of a remote run's files. The size of a copied file is the position of the next bytes, so an
// interrupted process neither loses nor duplicates any.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "hosts/run_look.h"
#include "runs/run_directory.h"

namespace slipway {

// One follower of a copy at a time, over all processes; held as long as it lives.
class CopyLock {
public:
    static Result<CopyLock> take(const RunPaths &paths);
    // Empty: another one has it. `name`: of the file in the copy that stands for the lock.
    static Result<std::optional<CopyLock>> tryTake(const RunPaths &paths, const char *name = "copy.lock");

private:
    explicit CopyLock(FileDescriptor file) : m_file(std::move(file)) {}
    static Result<std::optional<CopyLock>> lock(const std::filesystem::path &path, int how);
    FileDescriptor m_file;
};

// The files that are followed and from which byte, a little before the end of what is here, so that a file that was
// replaced there is noticed.
std::vector<std::pair<std::string, std::int64_t>> wantedParts(const RunPaths &paths);
std::int64_t wantedFrom(const RunPaths &paths, const char *name); // of one of them

struct TakenParts {
    bool more = false; // there is more to come
    std::string left;  // a file whose copy has reached its limit; empty: none
};

// Appends what is new. A host cannot fill the disk here: each file of the copy has a limit.
Result<TakenParts> takeParts(const RunPaths &paths, const std::vector<FilePart> &parts);
// pgid, starttime, boot_id, host and rc as they are there.
Result<void> takeMark(const RunPaths &paths, const RunTraces &traces);

} // namespace slipway
