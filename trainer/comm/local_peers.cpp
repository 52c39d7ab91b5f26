// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/local_peers.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <system_error>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::chrono::seconds kContinuing{1};

// proc(5): the name of the program, in parentheses, may contain any characters. After it, the first field is the state,
// the second the parent and the 20th the start time.
struct ProcessState {
    std::string state, parent, startTime;
};
ProcessState processState(pid_t pid)
{
    const Result<std::string> text = readFile("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = text ? text->rfind(") ") : std::string::npos;
    if (name == std::string::npos)
        return {};
    const std::vector<std::string_view> fields = split(std::string_view(*text).substr(name + 2), ' ');
    return fields.size() < 20 ? ProcessState{}
                              : ProcessState{std::string(fields[0]), std::string(fields[1]), std::string(fields[19])};
}

// Identifies this machine since its boot, and the PID namespace, because containers number their processes separately.
std::string placeMark()
{
    const Result<std::string> boot = readFile("/proc/sys/kernel/random/boot_id");
    std::error_code ignored;
    return std::string(trimmed(boot.valueOr({}))) + "/" +
           std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

} // namespace

std::string LocalPeers::ownMark()
{
    return placeMark() + " " + std::to_string(::getpid()) + " " + processState(::getpid()).startTime;
}

LocalPeers::LocalPeers(const std::vector<std::string> &marks, int rank)
{
    const std::string here = placeMark();
    for (int other = 0; other < static_cast<int>(marks.size()); ++other) {
        const std::vector<std::string_view> fields = split(marks[static_cast<std::size_t>(other)], ' ');
        const std::optional<std::int64_t> pid = fields.size() == 3 ? parseInteger(fields[1]) : std::nullopt;
        if (other != rank && pid && *pid > 1 && fields[0] == here && !fields[2].empty())
            m_peers.push_back({.rank = other, .pid = static_cast<pid_t>(*pid), .startTime = std::string(fields[2])});
    }
}

// Anyone who can write to the rendezvous store could name any process as a rank. This check limits the damage to
// processes that the same launcher started for the same user.
bool LocalPeers::isSibling(pid_t pid)
{
    struct stat status{};
    return ::stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
           processState(pid).parent == std::to_string(::getppid());
}

bool LocalPeers::isStopped(const Peer &peer)
{
    const ProcessState now = processState(peer.pid);
    return now.state == "T" && now.startTime == peer.startTime;
}

std::vector<int> LocalPeers::stopped() const
{
    std::vector<int> ranks;
    for (const Peer &peer : m_peers) {
        if (isStopped(peer))
            ranks.push_back(peer.rank);
    }
    return ranks;
}

void LocalPeers::endStopped() const
{
    const std::vector<int> before = stopped();
    if (before.empty())
        return;
    std::this_thread::sleep_for(kContinuing);
    std::signal(SIGTERM, SIG_IGN);
    for (const Peer &peer : m_peers) {
        if (std::find(before.begin(), before.end(), peer.rank) != before.end() && isStopped(peer) &&
            isSibling(peer.pid))
            ::kill(peer.pid, SIGKILL);
    }
}

std::string ranksText(const std::vector<int> &ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (const int rank : ranks)
        text += (rank == ranks.front() ? "" : ", ") + std::to_string(rank);
    return text;
}

} // namespace slipway
