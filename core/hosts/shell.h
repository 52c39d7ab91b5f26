// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Access to a host: runs a POSIX sh script with arguments there and waits for its end, and copies files in both
// directions.
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

    // Returns the exit status and output of the script; its standard error is escaped for display. Arguments may
    // contain any bytes but NUL. After an error the host could not be queried, and the script may or may not have run.
    virtual Result<ChildResult> run(
        const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits) = 0;
    // The name of the host in messages.
    [[nodiscard]] virtual std::string name() const = 0;
    // Whether the host's files are those of this machine, so that nothing needs to be copied.
    [[nodiscard]] virtual bool isLocal() const = 0;
    // The argv that copies a file, or the contents of a folder (a path with a trailing slash), to the host, readable
    // only by its owner.
    [[nodiscard]] std::vector<std::string> sendCommand(const std::string &from, const std::string &to) const;
    Result<void> send(const std::string &from, const std::string &to, const ChildLimits &limits) const;
    // Copies regular files of a folder on the host, without subfolders, into a local folder. `options`: options of
    // rsync that select the files.
    Result<void> fetch(const std::string &from, const std::string &to, const std::vector<std::string> &options,
        const ChildLimits &limits) const;
    // The command as a user would type it.
    [[nodiscard]] virtual std::string shown(const std::string &command) const = 0;
    // The command that run() starts, including its standard input.
    [[nodiscard]] std::string shownRun(const std::string &script, const std::vector<std::string> &arguments) const;

protected:
    [[nodiscard]] virtual std::vector<std::string> runCommand() const = 0;
    [[nodiscard]] virtual std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const = 0;
    // The options with which rsync reaches the host, and a path on the host as an argument of rsync.
    [[nodiscard]] virtual std::vector<std::string> rsyncOptions() const = 0;
    [[nodiscard]] virtual std::string rsyncPlace(const std::string &path) const = 0;
    // Whether rsync failed because the host could not be reached, from the error output of rsync, and if so, why.
    [[nodiscard]] virtual std::optional<Error> connectionError(const std::string &errors) const = 0;

private:
    Result<void> runRsync(const std::vector<std::string> &rsync, const std::string &from, const std::string &to,
        const ChildLimits &limits) const;
};

// Escapes the standard error of a command for display; only the last lines if it is long.
std::string shownErrors(std::string_view text);

// The standard input with which /bin/sh runs the script with these arguments. The shell reads all of it before it runs
// anything, so that no command in the script can consume it, and arguments have no length limit.
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
    [[nodiscard]] std::optional<Error> connectionError(const std::string &) const override { return std::nullopt; }
};

} // namespace slipway
