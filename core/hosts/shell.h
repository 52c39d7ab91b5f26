// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a host is talked to: a POSIX sh script with arguments, run there and waited for; and files copied to and fro.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hosts/child_process.h"

namespace slipway {

class Shell {
public:
    virtual ~Shell() = default;

    // The script's own exit status and output; its standard error as it may be shown. Arguments are any bytes but NUL.
    // An error: it could not be asked, and the script may or may not have run.
    virtual Result<ChildResult> run(
        const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits) = 0;
    // What messages call it.
    [[nodiscard]] virtual std::string name() const = 0;
    // Whether its files are this machine's own: then nothing is copied.
    [[nodiscard]] virtual bool isLocal() const = 0;
    // argv that copies a file or a folder's content (a path that ends in a slash) there, for its owner alone to read.
    [[nodiscard]] std::vector<std::string> sendCommand(const std::string &from, const std::string &to) const;
    Result<void> send(const std::string &from, const std::string &to, const ChildLimits &limits) const;
    // Copies regular files of a folder there, and of none below it, into a folder here. `options`: rsync's, which say
    // which files.
    Result<void> fetch(const std::string &from, const std::string &to, const std::vector<std::string> &options,
        const ChildLimits &limits) const;
    // The command as it would be typed.
    [[nodiscard]] virtual std::string shown(const std::string &command) const = 0;
    // What run() starts, with what it is given to read.
    [[nodiscard]] std::string shownRun(const std::string &script, const std::vector<std::string> &arguments) const;

protected:
    [[nodiscard]] virtual std::vector<std::string> runCommand() const = 0;
    [[nodiscard]] virtual std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const = 0;
    // How rsync reaches the host, and how it names a path there.
    [[nodiscard]] virtual std::vector<std::string> rsyncOptions() const = 0;
    [[nodiscard]] virtual std::string rsyncPlace(const std::string &path) const = 0;
    // Of what rsync wrote: why the host was not reached, where that is why it failed.
    [[nodiscard]] virtual std::optional<Error> notReached(const std::string &errors) const = 0;

private:
    Result<void> runRsync(const std::vector<std::string> &rsync, const std::string &from, const std::string &to,
        const ChildLimits &limits) const;
};

// What a command wrote to standard error, as it may be shown: its last lines where it wrote more than those.
std::string shownErrors(std::string_view text);

// What /bin/sh reads to run the script with these arguments: everything is read before anything runs, so that nothing
// else takes it from standard input, and no limit of an argument's length counts.
std::string shellInput(const std::string &script, const std::vector<std::string> &arguments);

// /bin/sh on this machine.
class LocalShell final : public Shell {
public:
    Result<ChildResult> run(
        const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits) override;
    [[nodiscard]] std::string name() const override { return "this machine"; }
    [[nodiscard]] bool isLocal() const override { return true; }
    [[nodiscard]] std::string shown(const std::string &command) const override { return command; }

private:
    [[nodiscard]] std::vector<std::string> runCommand() const override { return {"/bin/sh"}; }
    [[nodiscard]] std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const override
    {
        return shellInput(script, arguments);
    }
    [[nodiscard]] std::vector<std::string> rsyncOptions() const override { return {}; }
    [[nodiscard]] std::string rsyncPlace(const std::string &path) const override { return path; }
    [[nodiscard]] std::optional<Error> notReached(const std::string &) const override { return std::nullopt; }
};

} // namespace slipway
