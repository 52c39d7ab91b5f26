// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Servers that a test starts for itself.
#pragma once

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/processes.h"

namespace slipway {

// A TCP port of 127.0.0.1 that nobody has now.
inline int freePort()
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr *>(&address), size) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) == 0;
    ::close(fd);
    return bound ? ntohs(address.sin_port) : 0;
}

inline bool listens(int port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool connected = ::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

// The process and all that it has started and that has not gone its own way.
inline std::set<pid_t> withDescendants(pid_t root)
{
    const std::vector<Process> running = processes();
    std::set<pid_t> all{root};
    for (std::size_t before = 0; before != all.size();) {
        before = all.size();
        for (const Process &process : running) {
            if (all.contains(process.parent))
                all.insert(process.pid);
        }
    }
    return all;
}

// A server in the foreground, whose output goes to a file. Killed with all that it started when it goes.
class Daemon {
public:
    Daemon() = default;
    Daemon(const Daemon &) = delete;
    Daemon &operator=(const Daemon &) = delete;
    ~Daemon() { kill(); }

    void start(std::vector<std::string> argv, const std::filesystem::path &log,
        const std::vector<std::string> &environment = {})
    {
        kill();
        m_pid = ::fork();
        if (m_pid != 0)
            return;
        for (const std::string &setting : environment)
            ::putenv(const_cast<char *>(setting.c_str()));
        ::setpgid(0, 0);
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        const int in = ::open("/dev/null", O_RDONLY);
        ::dup2(in, 0);
        ::dup2(out, 1);
        ::dup2(out, 2);
        for (int fd = 3; fd < 256; ++fd)
            ::close(fd);
        std::vector<char *> words;
        for (std::string &word : argv)
            words.push_back(word.data());
        words.push_back(nullptr);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    // Whether it has ended by itself.
    bool ended()
    {
        if (m_pid > 0 && ::waitpid(m_pid, nullptr, WNOHANG) == m_pid)
            m_pid = 0;
        return m_pid <= 0;
    }
    void kill()
    {
        if (m_pid <= 0)
            return;
        for (const pid_t pid : withDescendants(m_pid))
            ::kill(pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = 0;
    }
    [[nodiscard]] pid_t pid() const { return m_pid; }

private:
    pid_t m_pid = 0;
};

} // namespace slipway
