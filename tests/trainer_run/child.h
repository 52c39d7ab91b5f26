// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A program as a child process, for tests of its exit status and its messages.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace slipway::testing {

struct Ended {
    int status = -1; // exit status; 128 + signal where one killed it
    std::string out, err;
};

// `before` runs in the child just before the program.
Ended runProgram(const std::vector<std::string> &command, const std::function<void()> &before = {});

// A child whose standard output is read line by line while it runs.
class RunningProgram {
public:
    // `err`: a file for its standard error; empty: this program's own. `before` runs in the child just before the
    // program.
    explicit RunningProgram(
        const std::vector<std::string> &command, const std::string &err = {}, const std::function<void()> &before = {});
    ~RunningProgram();
    RunningProgram(const RunningProgram &) = delete;
    RunningProgram &operator=(const RunningProgram &) = delete;

    // Waits until a line begins with `start`; false where the output ends before.
    bool waitForLine(const std::string &start);
    void signal(int signalNumber) const;
    int wait(); // the exit status

private:
    pid_t m_pid = -1;
    int m_output = -1;
};

} // namespace slipway::testing
