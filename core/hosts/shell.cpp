// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell.h"

#include "base/text.h"
#include "hosts/host_text.h"
#include "hosts/shell_quote.h"

namespace slipway {

namespace {

void append(std::vector<std::string> &words, const std::vector<std::string> &more)
{
    words.insert(words.end(), more.begin(), more.end());
}

} // namespace

std::vector<std::string> Shell::sendCommand(const std::string &from, const std::string &to) const
{
    std::vector<std::string> rsync{"rsync", "-rltp", "--chmod=u+rw,go-rwx", "--partial", "--timeout=300"};
    append(rsync, rsyncOptions());
    append(rsync, {"--", from, rsyncPlace(to)});
    return rsync;
}

Result<void> Shell::runRsync(const std::vector<std::string> &rsync, const std::string &from, const std::string &to,
    const ChildLimits &limits) const
{
    const Result<ChildResult> done = runChild(rsync, limits);
    if (!done)
        return Error{.what = done.error().what, .where = from, .fault = Fault::Outside};
    if (done->exitStatus == 0)
        return {};
    const std::string errors = shownErrors(done->err);
    if (const std::optional<Error> problem = connectionError(errors))
        return *problem;
    return Error{.what = "cannot be copied to " + to + ": " + errors, .where = from, .fault = Fault::Outside};
}

Result<void> Shell::send(const std::string &from, const std::string &to, const ChildLimits &limits) const
{
    return runRsync(sendCommand(from, to), from, rsyncPlace(to), limits);
}

Result<void> Shell::fetch(const std::string &from, const std::string &to, const std::vector<std::string> &options,
    const ChildLimits &limits) const
{
    std::vector<std::string> rsync{"rsync", "-rt", "--no-links", "--no-devices", "--no-specials", "--chmod=D700,F600",
        "--partial", "--fsync", "--timeout=60"};
    append(rsync, rsyncOptions());
    append(rsync, options);
    append(rsync, {"--", rsyncPlace(from), to});
    return runRsync(rsync, rsyncPlace(from), to, limits);
}

std::string shownErrors(std::string_view text)
{
    constexpr std::size_t kLongest = 8192;
    const std::string_view all = trimmed(text);
    return shownText(all.size() > kLongest ? all.substr(all.size() - kLongest) : all, 4 * kLongest);
}

std::string Shell::shownRun(const std::string &script, const std::vector<std::string> &arguments) const
{
    const std::string input = runInput(script, arguments);
    std::string end = "END";
    while (input.find("\n" + end + "\n") != std::string::npos)
        end += '_'; // the end marker must not occur in the text
    return shellQuoted(runCommand()) + " <<'" + end + "'\n" + input + end;
}

std::string shellInput(const std::string &script, const std::vector<std::string> &arguments)
{
    return "set -- " + shellQuoted(arguments) + "\nslipway_main() {\n" + script +
           "\n}\nslipway_main \"$@\" < /dev/null\nexit $?\n";
}

Result<ChildResult> LocalShell::run(
    const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits)
{
    Result<ChildResult> done = runChild(runCommand(), limits, runInput(script, arguments));
    if (done)
        done->err = shownErrors(done->err);
    return done;
}

} // namespace slipway
