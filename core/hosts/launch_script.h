// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "hosts/host.h"

namespace slipway {

// A POSIX sh script, the same on every host: sh -c SCRIPT NAME DIRECTORY ATTEMPT COMMAND... It starts the command in a
// new session, under a supervisor in another session, which survives a signal to the process group and writes rc.
// Prints "started PGID" or, if this attempt was started before, "already PGID".
std::string launchScript();

// Part of this script and of Slurm's batch scripts that runs after the command has ended with $status: ends the
// processes that carry the mark of $attempt, and sends them SIGTERM at once if $asked is not empty.
extern const char *const endMarkedScript;

std::vector<std::string> launchArguments(const StartRequest &request);
Result<Started> parseLaunchReply(const std::string &reply, const StartRequest &request);

} // namespace slipway
