// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "faults/faulty_run.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"
#include "faults/fault.h"

namespace slipway::faults {

namespace fs = std::filesystem;

namespace {

// The tally of one run, which the processes under test write to.
class SharedTally {
public:
    explicit SharedTally(const fs::path &file)
    {
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd >= 0 && ::ftruncate(fd, sizeof(Tally)) == 0) {
            const void *const memory = ::mmap(nullptr, sizeof(Tally), PROT_READ, MAP_SHARED, fd, 0);
            m_tally = memory != MAP_FAILED ? static_cast<const Tally *>(memory) : nullptr;
        }
        ::close(fd);
    }
    SharedTally(const SharedTally &) = delete;
    SharedTally &operator=(const SharedTally &) = delete;
    ~SharedTally()
    {
        if (m_tally != nullptr)
            ::munmap(const_cast<Tally *>(m_tally), sizeof(Tally));
    }
    [[nodiscard]] const Tally *get() const { return m_tally; }

private:
    const Tally *m_tally = nullptr;
};

// What each call may fail with, and the kill.
std::vector<int> errorsOf(const std::string &call)
{
    if (call == "write")
        return {ENOSPC, EIO, EINTR, 0};
    if (call == "fsync")
        return {EIO, 0};
    if (call == "rename")
        return {ENOSPC, EIO, 0};
    if (call == "mkdir")
        return {ENOSPC, 0};
    if (call == "open")
        return {EMFILE, ENOSPC, EINTR, 0};
    if (call == "fork")
        return {EAGAIN, 0};
    return {ECONNREFUSED, EINTR, 0};
}

bool isExhaustive()
{
    const char *const wanted = std::getenv("SLIPWAY_FAULTS");
    return wanted != nullptr && std::strcmp(wanted, "all") == 0;
}

// All, or the first, the last and one in the middle.
std::vector<std::int64_t> chosenOf(std::int64_t calls)
{
    std::vector<std::int64_t> chosen;
    for (std::int64_t at = 1; at <= calls; ++at) {
        if (isExhaustive() || at == 1 || at == calls || at == (calls + 1) / 2)
            chosen.push_back(at);
    }
    return chosen;
}

} // namespace

std::string Fault::text() const
{
    return call + " " + std::to_string(at) + ": " + (error == 0 ? "killed" : systemMessage(error));
}

FaultyResult runWithFault(const Fault &fault, const fs::path &folder, const std::vector<std::string> &argv)
{
    const fs::path file = folder.parent_path() / "tally";
    const SharedTally tally(file);
    std::vector<std::string> command{"/usr/bin/env", "LD_PRELOAD=" SLIPWAY_FAULT_LIBRARY,
        "SLIPWAY_FAULT_CALL=" + fault.call, "SLIPWAY_FAULT_ERROR=" + std::to_string(fault.error),
        "SLIPWAY_FAULT_AT=" + std::to_string(fault.at), "SLIPWAY_FAULT_UNDER=" + folder.string(),
        "SLIPWAY_FAULT_TALLY=" + file.string()};
    command.insert(command.end(), argv.begin(), argv.end());
    const Result<ChildResult> ended = runChild(command, std::chrono::minutes(2));
    FaultyResult result;
    EXPECT_TRUE(ended) << ended.error().message();
    EXPECT_TRUE(tally.get() != nullptr);
    if (!ended || tally.get() == nullptr)
        return result;
    result.child = *ended;
    result.calls = tally.get()->calls;
    result.failed = tally.get()->failed != 0;
    result.place = std::string(tally.get()->process) + " on " + tally.get()->path;
    return result;
}

FaultCounts runWithEveryFault(const FaultyCommand &command)
{
    FaultCounts counts;
    for (const std::string &call : command.calls) {
        command.reset();
        const std::int64_t calls = runWithFault({.call = call}, command.folder, command.argv).calls;
        for (const std::int64_t at : chosenOf(calls)) {
            for (const int error : errorsOf(call)) {
                const Fault fault{.call = call, .error = error, .at = at};
                command.reset();
                const FaultyResult result = runWithFault(fault, command.folder, command.argv);
                SCOPED_TRACE(fault.text() + ", " + result.place + "\nstatus " +
                             std::to_string(result.child.exitStatus) + ": " + result.child.err);
                counts.injected[call] += result.failed ? 1 : 0;
                command.check(result);
                if (::testing::Test::HasFatalFailure())
                    return counts;
            }
        }
    }
    return counts;
}

std::vector<std::string> filesBelow(const fs::path &folder)
{
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto &entry : fs::recursive_directory_iterator(folder, ignored))
        files.push_back(fs::relative(entry.path(), folder).generic_string());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace slipway::faults
