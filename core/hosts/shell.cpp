// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell.h"

#include "base/text.h"
#include "hosts/shell_quote.h"

namespace slipway {

Result<void> Shell::copy(
    const std::string &from, const std::string &to, bool fromThere, std::chrono::milliseconds timeLimit)
{
    const Result<ChildResult> done = runChild(copyCommand(from, to, fromThere), timeLimit);
    if (!done)
        return done.error();
    if (done->exitStatus != 0)
        return Error{.what = "cannot be copied to " + to + ": " + std::string(trimmed(done->err)),
            .where = from,
            .fault = Fault::Outside};
    return {};
}

std::string Shell::shownRun(const std::string &script, const std::vector<std::string> &arguments) const
{
    const std::string input = runInput(script, arguments);
    std::string end = "END";
    while (input.find("\n" + end + "\n") != std::string::npos)
        end += "_"; // a text that holds the word goes on behind it
    return shellQuoted(runCommand()) + " <<'" + end + "'\n" + input + end;
}

std::string shellInput(const std::string &script, const std::vector<std::string> &arguments)
{
    return "set -- " + shellQuoted(arguments) + "\nslipway_main() {\n" + script +
           "\n}\nslipway_main \"$@\" < /dev/null\nexit $?\n";
}

Result<ChildResult> LocalShell::run(
    const std::string &script, const std::vector<std::string> &arguments, std::chrono::milliseconds timeLimit)
{
    return runChild(runCommand(), timeLimit, runInput(script, arguments));
}

std::vector<std::string> LocalShell::copyCommand(const std::string &from, const std::string &to, bool) const
{
    return {"rsync", "-a", "--", from, to};
}

} // namespace slipway
