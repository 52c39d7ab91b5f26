// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rewrites arguments in the command of a training script, by the flags in the framework's profile.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "frameworks/command_arguments.h"

namespace slipway {

struct ChangedArgument {
    std::string set;      // a setting's key or a ScriptQuantity
    std::string argument; // as it stands in the command: "--max_steps"
    std::string before;   // empty: the command did not have it
    std::string after;
    bool operator==(const ChangedArgument &) const = default;
};

struct RewrittenCommand {
    std::vector<std::string> words;
    std::vector<ChangedArgument> changes;
};

// The words of a command. A command of one line has them only if a shell does nothing but split it.
Result<std::vector<std::string>> wordsOfCommand(const std::vector<std::string> &command);

// Sets an argument, in the place and style that it has in the command; otherwise the words of the rule are added at the
// end. A command that has this value already is left as it is. An error names the argument or the file to change by
// hand.
Result<void> rewriteArgument(RewrittenCommand &command, const std::vector<ArgumentRule> &rules, const std::string &set,
    const std::string &value);

// Whether the command has an argument for it.
bool hasArgument(
    const std::vector<std::string> &command, const std::vector<ArgumentRule> &rules, const std::string &set);

} // namespace slipway
