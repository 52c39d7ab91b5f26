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
#include "hosts/run_query.h"
#include "runs/run_directory.h"

namespace slipway {

// A lock that allows one process at a time to update a copy. Released by the destructor.
class CopyLock {
public:
    static Result<CopyLock> acquire(const RunPaths &paths);
    // Empty: another process holds the lock. `name`: the lock file in the copy.
    static Result<std::optional<CopyLock>> tryAcquire(const RunPaths &paths, const char *name = "copy.lock");

private:
    explicit CopyLock(FileDescriptor file) : m_file(std::move(file)) {}
    static Result<std::optional<CopyLock>> lock(const std::filesystem::path &path, int how);
    FileDescriptor m_file;
};

// The files to copy, with the offset of the first byte to request. It lies slightly before the end of the copy, so that
// a file that was replaced on the host is detected.
std::vector<std::pair<std::string, std::int64_t>> wantedParts(const RunPaths &paths);
std::int64_t wantedFrom(const RunPaths &paths, const char *name); // for one of them

struct TakenParts {
    bool more = false; // there is more to copy
    std::string left;  // a file whose copy has reached its size limit; empty: none
};

// Appends the new bytes. The copy of each file has a size limit, so that a host cannot fill the local disk.
Result<TakenParts> takeParts(const RunPaths &paths, const std::vector<FilePart> &parts);
// Copies pgid, starttime, boot_id, host and rc from the host.
Result<void> copyLaunchFiles(const RunPaths &paths, const RunFacts &facts);

} // namespace slipway
