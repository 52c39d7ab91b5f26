// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "hosts/host.h"

namespace slipway {

// POSIX sh, the same wherever a shell is: sh -c SCRIPT NAME DIRECTORY ATTEMPT COMMAND...
// Starts the command in a session of its own, under a supervisor in another one that outlives a signal to the group and
// writes rc. Prints "started PGID" or, where this attempt had been started before, "already PGID".
std::string launchScript();

// A piece of it and of Slurm's batch scripts, once the command has ended with $status: ends the processes that carry
// the mark of $attempt, and asks them at once where $asked is not empty.
extern const char *const endMarkedScript;

std::vector<std::string> launchArguments(const StartRequest &request);
Result<Started> parseLaunchReply(const std::string &reply, const StartRequest &request);

} // namespace slipway
