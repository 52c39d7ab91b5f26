// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "child.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch_folder.h"

namespace slipway::testing {

namespace {

[[noreturn]] void become(const std::vector<std::string> &command)
{
    std::vector<char *> arguments;
    for (const std::string &argument : command)
        arguments.push_back(const_cast<char *>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
}

int statusOf(pid_t pid)
{
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Ended runProgram(const std::vector<std::string> &command, const std::function<void()> &before)
{
    const ScratchFolder folder;
    const std::string out = folder / "out", err = folder / "err";
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0644), 1);
        ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0644), 2);
        if (before)
            before();
        become(command);
    }
    const int status = statusOf(pid);
    return {.status = status, .out = readBytes(out), .err = readBytes(err)};
}

RunningProgram::RunningProgram(
    const std::vector<std::string> &command, const std::string &err, const std::function<void()> &before)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        std::abort();
    m_pid = ::fork();
    if (m_pid == 0) {
        ::dup2(ends[1], 1);
        if (!err.empty())
            ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0644), 2);
        if (before)
            before();
        become(command);
    }
    ::close(ends[1]);
    m_output = ends[0];
}

RunningProgram::~RunningProgram()
{
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        statusOf(m_pid);
    }
    ::close(m_output);
}

bool RunningProgram::waitForLine(const std::string &start)
{
    std::string line;
    for (char letter = 0; ::read(m_output, &letter, 1) == 1;) {
        if (letter != '\n') {
            line += letter;
            continue;
        }
        if (line.starts_with(start))
            return true;
        line.clear();
    }
    return false;
}

void RunningProgram::signal(int signalNumber) const { ::kill(m_pid, signalNumber); }

int RunningProgram::wait()
{
    // Read on, so that the program never waits for a reader.
    for (char rest[4096]; ::read(m_output, rest, sizeof rest) > 0;) {
    }
    const int status = statusOf(m_pid);
    m_pid = -1;
    return status;
}

} // namespace slipway::testing
