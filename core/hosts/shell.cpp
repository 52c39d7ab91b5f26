// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell.h"

#include "base/text.h"

namespace slipway {

Result<void> Shell::copy(const std::string &from, const std::string &to, bool fromThere, std::chrono::milliseconds timeLimit)
{
    const Result<ChildResult> done = runChild(copyCommand(from, to, fromThere), timeLimit);
    if (!done)
        return done.error();
    if (done->exitStatus != 0)
        return Error{.what = "cannot be copied to " + to + ": " + std::string(trimmed(done->err)), .where = from, .fault = Fault::Outside};
    return {};
}

Result<ChildResult> LocalShell::run(const std::string &script, const std::vector<std::string> &arguments, std::chrono::milliseconds timeLimit)
{
    std::vector<std::string> argv{"/bin/sh", "-c", script, "slipway"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return runChild(argv, timeLimit);
}

std::vector<std::string> LocalShell::copyCommand(const std::string &from, const std::string &to, bool) const
{
    return {"rsync", "-a", "--", from, to};
}

} // namespace slipway
