// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs a command again and again, each time with another of its calls to the system failing.
#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hosts/child_process.h"

namespace slipway::faults {

struct Fault {
    std::string call;    // as in fault.h
    int error = 0;       // errno; 0: the process is killed
    std::int64_t at = 0; // 0: no call fails

    [[nodiscard]] std::string text() const; // "write 3: No space left on device"
};

struct FaultyResult {
    ChildResult child;
    std::int64_t calls = 0; // of that kind, whether or not one failed
    bool failed = false;    // the call was reached
    std::string place;      // "slipway on /tmp/x/run.yaml"

    [[nodiscard]] bool killed() const { return child.exitStatus > 128; }
};

// Only calls on files below `folder` count; `argv` begins with a program's path.
FaultyResult runWithFault(
    const Fault &fault, const std::filesystem::path &folder, const std::vector<std::string> &argv);

// For one command: `reset` puts everything as it was before it, `check` looks at what a fault has left. Each call of
// each kind fails once with each error that it may give, where SLIPWAY_FAULTS is "all"; else a selection does.
struct FaultyCommand {
    std::filesystem::path folder;
    std::vector<std::string> argv;
    std::function<void()> reset;
    std::function<void(const FaultyResult &)> check;
    std::vector<std::string> calls{"write", "fsync", "rename", "open", "mkdir", "fork"};
};

// How many faults were injected, by call, and into which states they led.
struct FaultCounts {
    std::map<std::string, int> injected, states;
};
FaultCounts runWithEveryFault(const FaultyCommand &command);

// The folder's files and folders, by relative path: what a fault must not add to.
std::vector<std::string> filesBelow(const std::filesystem::path &folder);

} // namespace slipway::faults
