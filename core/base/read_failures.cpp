// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/read_failures.h"

#include <cerrno>
#include <mutex>

#include "base/file.h"

namespace slipway {

namespace {

struct Failures {
    std::mutex mutex;
    std::size_t count = 0;
    std::optional<Error> first;
};

Failures &failures()
{
    static Failures all;
    return all;
}

bool isWantOfMeans(int errorNumber)
{
    switch (errorNumber) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EIO:
    case EINTR:
        return true;
    default:
        return false;
    }
}

} // namespace

void noteReadFailure(const std::filesystem::path &path, int errorNumber)
{
    if (!isWantOfMeans(errorNumber))
        return;
    const std::lock_guard lock(failures().mutex);
    ++failures().count;
    if (!failures().first)
        failures().first = Error{
            .what = "cannot open: " + systemMessage(errorNumber), .where = path.string(), .fault = Fault::Outside};
}

std::size_t readFailures()
{
    const std::lock_guard lock(failures().mutex);
    return failures().count;
}

std::optional<Error> firstReadFailure()
{
    const std::lock_guard lock(failures().mutex);
    return failures().first;
}

} // namespace slipway
