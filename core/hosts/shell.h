// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a host is talked to: a POSIX sh script with arguments, run there and waited for; and files copied to and fro.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/child_process.h"

namespace slipway {

class Shell {
public:
    virtual ~Shell() = default;

    // The script's own exit status and output. Arguments are any bytes but NUL. An error: it could not be asked, and
    // the script may or may not have run.
    virtual Result<ChildResult> run(
        const std::string &script, const std::vector<std::string> &arguments, std::chrono::milliseconds timeLimit) = 0;
    // Whether its files are this machine's own: then nothing is copied.
    [[nodiscard]] virtual bool isLocal() const = 0;
    // argv that copies a file or a folder's content (a path that ends in a slash) there, or from there.
    [[nodiscard]] virtual std::vector<std::string> copyCommand(
        const std::string &from, const std::string &to, bool fromThere) const = 0;
    Result<void> copy(
        const std::string &from, const std::string &to, bool fromThere, std::chrono::milliseconds timeLimit);
    // The command as it would be typed.
    [[nodiscard]] virtual std::string shown(const std::string &command) const = 0;
    // What run() starts, with what it is given to read.
    [[nodiscard]] std::string shownRun(const std::string &script, const std::vector<std::string> &arguments) const;

protected:
    [[nodiscard]] virtual std::vector<std::string> runCommand() const = 0;
    [[nodiscard]] virtual std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const = 0;
};

// What /bin/sh reads to run the script with these arguments: everything is read before anything runs, so that nothing
// else takes it from standard input, and no limit of an argument's length counts.
std::string shellInput(const std::string &script, const std::vector<std::string> &arguments);

// /bin/sh on this machine.
class LocalShell final : public Shell {
public:
    Result<ChildResult> run(const std::string &script, const std::vector<std::string> &arguments,
        std::chrono::milliseconds timeLimit) override;
    [[nodiscard]] bool isLocal() const override { return true; }
    [[nodiscard]] std::vector<std::string> copyCommand(
        const std::string &from, const std::string &to, bool fromThere) const override;
    [[nodiscard]] std::string shown(const std::string &command) const override { return command; }

private:
    [[nodiscard]] std::vector<std::string> runCommand() const override { return {"/bin/sh"}; }
    [[nodiscard]] std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const override
    {
        return shellInput(script, arguments);
    }
};

} // namespace slipway
