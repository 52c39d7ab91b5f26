// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads settings of the plan from the command of a training script, by the flags in the framework's profile.
#pragma once

#include <string>
#include <vector>

#include "frameworks/script_interface.h"

namespace slipway {

struct ReadArgument {
    std::string flag; // as it stands in the command: "--per_device_train_batch_size"
    std::string set;  // a setting's key, "nodes" or "ranks_per_node"
    std::string value;
    bool operator==(const ReadArgument &) const = default;
};

// In the order of the rules; of each setting the first rule that finds a flag counts, and of a flag that is repeated
// the last value. A word is a flag as --name VALUE, --name=VALUE, -n VALUE or name=VALUE.
std::vector<ReadArgument> readArguments(
    const std::vector<std::string> &command, const std::vector<ArgumentRule> &rules);

// Splits a line at blanks outside quotes, as a shell does, without any expansion.
std::vector<std::string> wordsOfLine(const std::string &line);

} // namespace slipway
