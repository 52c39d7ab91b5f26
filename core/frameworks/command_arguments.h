// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads settings of the plan from the command of a training script, by the flags in the framework's profile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frameworks/script_interface.h"

namespace slipway {

struct ReadArgument {
    std::string flag; // as it stands in the command: "--per_device_train_batch_size"
    std::string set;  // a setting's key or a ScriptQuantity
    std::string value;
    bool operator==(const ReadArgument &) const = default;
};

// A word of a command that may be a flag, and the value in the same or in the next word.
struct CommandFlag {
    std::string shown, name, value; // `name`: in lower case, without leading dashes, with '_' for '-'
    bool hasValue = false;
    std::size_t word = 0;  // its place in the command
    bool isJoined = false; // NAME=VALUE
};
std::vector<CommandFlag> commandFlags(const std::vector<std::string> &command);

// Whether the flag is one of the rule's.
bool isFlagOf(const CommandFlag &flag, const ArgumentRule &rule);

// The value that the flag sets by the rule; empty: none.
std::optional<std::string> valueOfFlag(const CommandFlag &flag, const ArgumentRule &rule);

// In the order of the rules; of each setting the first rule that finds a flag counts, and of a flag that is repeated
// the last value. What a rule has read is not read by a later one. A word is a flag as --name VALUE, --name=VALUE, -n
// VALUE or name=VALUE.
std::vector<ReadArgument> readArguments(
    const std::vector<std::string> &command, const std::vector<ArgumentRule> &rules);

// Splits a line at blanks outside quotes, as a shell does, without any expansion.
std::vector<std::string> wordsOfLine(const std::string &line);

} // namespace slipway
