// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The copy here of a run's files there. Its own size is where the next bytes go, so that whoever dies in the middle of
// it loses and doubles nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hosts/run_look.h"
#include "runs/run_directory.h"

namespace slipway {

// One follower of a copy at a time, over all processes; held as long as it lives.
class CopyLock {
public:
    static Result<CopyLock> take(const RunPaths &paths);
    static Result<std::optional<CopyLock>> tryTake(const RunPaths &paths); // empty: another one has it
    CopyLock(CopyLock &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    CopyLock &operator=(CopyLock &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~CopyLock();

private:
    explicit CopyLock(int fd) : m_fd(fd) {}
    static Result<int> lock(const RunPaths &paths, int how); // -1: another one has it
    int m_fd;
};

// The files that are followed and from which byte, a little before the end of what is here, so that a file that was
// replaced there is noticed.
std::vector<std::pair<std::string, std::int64_t>> wantedParts(const RunPaths &paths);

// Appends what is new. True: there is more to come.
Result<bool> takeParts(const RunPaths &paths, const std::vector<FilePart> &parts);
// pgid, starttime, boot_id, host and rc as they are there.
Result<void> takeMark(const RunPaths &paths, const RunTraces &traces);

} // namespace slipway
