// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

Result<RunLock> RunLock::acquire(const std::filesystem::path &directory)
{
    const std::filesystem::path path = directory / "lock";
    Result<FileDescriptor> file = openPrivateFile(path, O_RDWR | O_CREAT);
    if (!file) {
        Error error = file.error();
        error.fault = Fault::Outside; // also if the run directory is missing
        return error;
    }
    RunLock lock(std::move(*file));
    const int fd = lock.m_file.get();
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return Error{
                .what = "cannot be locked: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
        char holder[32] = {};
        const ssize_t count = ::pread(fd, holder, sizeof holder - 1, 0);
        const std::string pid(trimmed({holder, static_cast<std::size_t>(count < 0 ? 0 : count)}));
        return Error{.what = "another trainer is running here" + (pid.empty() ? std::string() : ", process " + pid),
            .where = directory.string(),
            .accepted = "a directory of its own for each run"};
    }
    // The pid is only for the message above; the lock itself is what counts.
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
        return Error{
            .what = "cannot be written: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
    return lock;
}

} // namespace slipway
