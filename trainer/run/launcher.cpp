// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "comm/rendezvous.h"
#include "comm/rendezvous_secret.h"
#include "plan/mesh.h"
#include "run/journal.h"
#include "run/run_loop.h"
#include "run/launch_files.h"

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;
const std::string kSays = ": ";
constexpr std::chrono::duration<double> kGrace{deadline::kGrace}; // time for ranks to notice that another one has ended
constexpr std::chrono::duration<double> kToEnd{deadline::kToEnd}; // then time for the ranks that received SIGTERM

Error outside(const std::string &what)
{
    return {.what = what + ": " + systemMessage(errno), .where = "-n", .fault = Fault::Outside};
}

// The rendezvous of the ranks of one attempt. All of them inherit the secret; the first one also inherits the socket,
// so that no other process can bind the port.
struct LocalRendezvous {
    FileDescriptor socket, secret;
    int port = 0;
};

Result<LocalRendezvous> openLocalRendezvous()
{
    Result<FileDescriptor> socket = listenAt("127.0.0.1", 0);
    if (!socket)
        return socket.error();
    const Result<RendezvousSecret> secret = newSecret();
    Result<FileDescriptor> descriptor = secret ? secretDescriptor(*secret) : Result<FileDescriptor>(secret.error());
    if (!descriptor)
        return descriptor.error();
    const int port = portOf(socket->get());
    return LocalRendezvous{.socket = std::move(*socket), .secret = std::move(*descriptor), .port = port};
}

struct Rank {
    pid_t pid = -1;
    FileDescriptor cause;          // receives the cause of the rank's failure
    std::optional<int> waitStatus; // empty: it is running
    int order = -1;                // order in which ranks ended
    bool wasEnded = false;         // by the launcher
};

[[noreturn]] void become(
    const LaunchRequest &request, int rank, int restart, const LocalRendezvous &rendezvous, int causeFd)
{
    ::setpgid(0, 0); // so that Ctrl-C in a terminal reaches only the launcher, which forwards it once
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const auto set = [](const char *name, const std::string &value) { ::setenv(name, value.c_str(), 1); };
    const std::string world = std::to_string(request.ranks);
    set("RANK", std::to_string(rank));
    set("LOCAL_RANK", std::to_string(rank));
    set("WORLD_SIZE", world);
    set("LOCAL_WORLD_SIZE", world);
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", std::to_string(rendezvous.port));
    set("SLIPWAY_RESTART", std::to_string(restart));
    set("SLIPWAY_CAUSE_FD", std::to_string(causeFd));
    ::fcntl(causeFd, F_SETFD, 0);
    ::fcntl(rendezvous.secret.get(), F_SETFD, 0);
    set("SLIPWAY_SECRET_FD", std::to_string(rendezvous.secret.get()));
    if (rank == 0) {
        ::fcntl(rendezvous.socket.get(), F_SETFD, 0);
        set("SLIPWAY_LISTEN_FD", std::to_string(rendezvous.socket.get()));
    }
    std::vector<std::string> words = request.command;
    if (restart > 0 && std::find(words.begin(), words.end(), "--resume") == words.end())
        words.push_back("--resume");
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(127);
}

std::string readAll(int fd)
{
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t count = 0; (count = ::read(fd, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(count));
    return text;
}

class Attempt {
public:
    Attempt(const LaunchRequest &request, int restart, int signals)
        : m_request(request),
          m_restart(restart),
          m_signals(signals)
    {
    }

    Result<int> run();
    [[nodiscard]] bool mayRestart() const { return !m_stopped; }

private:
    Result<void> start();
    void passSignalsOn();
    void reap();
    void endOtherRanks();
    void killAll(int signalNumber);
    [[nodiscard]] bool anyRuns() const
    {
        return std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank &rank) { return !rank.waitStatus; });
    }
    [[nodiscard]] int statusOf(const Rank &rank) const
    {
        return WIFEXITED(*rank.waitStatus) ? WEXITSTATUS(*rank.waitStatus)
               : foundNoMemory(rank)       ? exitStatusOf(Fault::Outside)
                                           : exitStatusOf(Fault::Peer);
    }
    [[nodiscard]] bool foundNoMemory(const Rank &rank) const
    {
        return m_memory && !rank.wasEnded && WIFSIGNALED(*rank.waitStatus) && WTERMSIG(*rank.waitStatus) == SIGKILL &&
               m_memory->kills() > m_killsBefore;
    }
    [[nodiscard]] std::size_t culprit() const;
    [[nodiscard]] std::string nameOf(std::size_t rank) const;
    [[nodiscard]] std::string causeOf(std::size_t rank);
    void warnOfOthers(std::size_t first, const std::string &cause);
    int report();

    const LaunchRequest &m_request;
    int m_restart, m_signals;
    JournalEnd m_began = m_request.paths ? JournalEnd::of(*m_request.paths) : JournalEnd();
    std::vector<Rank> m_ranks;
    int m_ended = 0;
    bool m_stopped = false; // a stop was requested
    const std::optional<MemoryGroup> &m_memory = m_request.group;
    std::int64_t m_killsBefore = m_memory ? m_memory->kills() : 0;
    std::optional<Clock::time_point> m_failed, m_asked;
};

Result<void> Attempt::start()
{
    const Result<LocalRendezvous> rendezvous = openLocalRendezvous();
    if (!rendezvous)
        return rendezvous.error();
    for (int rank = 0; rank < m_request.ranks; ++rank) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return outside("cannot start rank " + std::to_string(rank));
        FileDescriptor read(ends[0]);
        const FileDescriptor write(ends[1]);
        const pid_t pid = ::fork();
        if (pid == 0)
            become(m_request, rank, m_restart, *rendezvous, write.get());
        if (pid < 0) {
            const Error error = outside("cannot start rank " + std::to_string(rank));
            killAll(SIGKILL);
            return error;
        }
        m_ranks.push_back({.pid = pid, .cause = std::move(read)});
    }
    return {};
}

void Attempt::killAll(int signalNumber)
{
    for (Rank &rank : m_ranks) {
        if (!rank.waitStatus) {
            ::kill(rank.pid, signalNumber);
            rank.wasEnded = true;
        }
    }
}

void Attempt::passSignalsOn()
{
    signalfd_siginfo info{};
    while (::read(m_signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        m_stopped = true;
        for (const Rank &rank : m_ranks) {
            if (!rank.waitStatus)
                ::kill(rank.pid, static_cast<int>(info.ssi_signo));
        }
    }
}

void Attempt::reap()
{
    for (Rank &rank : m_ranks) {
        int status = 0;
        if (rank.waitStatus || ::waitpid(rank.pid, &status, WNOHANG) != rank.pid)
            continue;
        rank.waitStatus = status;
        rank.order = m_ended++;
        if (status != 0 && !m_failed && !(WIFEXITED(status) && WEXITSTATUS(status) > 128))
            m_failed = Clock::now();
    }
}

// Ranks notice by themselves that another one has ended. If they do not, they are sent SIGTERM, and later SIGKILL.
void Attempt::endOtherRanks()
{
    if (!m_failed)
        return;
    const auto now = Clock::now();
    if (!m_asked && now - *m_failed > kGrace) {
        m_asked = now;
        killAll(SIGTERM);
    }
    if (m_asked && now - *m_asked > kToEnd)
        killAll(SIGKILL);
}

// The rank that failed first by itself; else the first one that the launcher had to end, because the others waited for
// it.
std::size_t Attempt::culprit() const
{
    const auto own = [this](const Rank &rank) {
        return *rank.waitStatus != 0 && !rank.wasEnded &&
               !(WIFEXITED(*rank.waitStatus) && statusOf(rank) == exitStatusOf(Fault::Peer));
    };
    const auto rankOf = [this](const auto &select) {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < m_ranks.size(); ++i) {
            if (select(m_ranks[i]) && (!found || m_ranks[i].order < m_ranks[*found].order))
                found = i;
        }
        return found;
    };
    if (const auto first = rankOf(own))
        return *first;
    if (const auto silent = rankOf([](const Rank &rank) { return rank.wasEnded; }))
        return *silent;
    return rankOf([](const Rank &rank) { return *rank.waitStatus != 0; }).value_or(0);
}

// "3 (tp 1, pp 1)"
std::string Attempt::nameOf(std::size_t index) const
{
    const std::string place = coordinateText(m_request.mesh, static_cast<int>(index));
    return std::to_string(index) + (place.empty() ? "" : " (" + place + ")");
}

std::string Attempt::causeOf(std::size_t index)
{
    const Rank &rank = m_ranks[index];
    const std::string name = "rank " + nameOf(index);
    if (rank.wasEnded)
        return name + " did not respond and was killed";
    if (foundNoMemory(rank)) {
        const std::optional<Bytes> limit = m_memory->limit();
        return "out of memory: the system ended " + name +
               (limit ? ", whose group may have " + formatBytes(*limit) : std::string()) +
               (m_request.memory.empty() ? "" : "; " + m_request.memory);
    }
    if (WIFSIGNALED(*rank.waitStatus)) {
        const int number = WTERMSIG(*rank.waitStatus);
        return name + " was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")" +
               (number == SIGKILL ? "; unless somebody sent the signal, the system ran out of memory" : "");
    }
    const std::string said(trimmed(readAll(rank.cause.get())));
    return name + (said.empty() ? " ended with status " + std::to_string(statusOf(rank)) : kSays + said);
}

// Most ranks only repeat the cause. Ranks with the same message are listed in one line, without the cause.
void Attempt::warnOfOthers(std::size_t first, const std::string &cause)
{
    std::map<std::string, std::vector<std::string>> ranksBySaying;
    const std::string known = cause.substr(std::min(cause.size(), cause.find(kSays) + kSays.size()));
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        if (i == first || *m_ranks[i].waitStatus == 0)
            continue;
        const std::string own = causeOf(i);
        const std::size_t says = own.find(kSays);
        if (says == std::string::npos) {
            m_request.warn("  " + own);
            continue;
        }
        std::string saying = own.substr(says + kSays.size());
        if (const std::size_t repeated = saying.find(kSays + known); repeated != std::string::npos)
            saying.resize(repeated);
        ranksBySaying[saying].push_back(nameOf(i));
    }
    for (const auto &[saying, ranks] : ranksBySaying)
        m_request.warn(
            fmt::format("  {} {}{}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "), kSays, saying));
}

// Reports the cause first, then the messages of the other ranks.
int Attempt::report()
{
    const std::size_t first = culprit();
    if (*m_ranks[first].waitStatus == 0)
        return 0;
    const int status = statusOf(m_ranks[first]);
    if (status > 128 || status == 124 || status == 6)
        return status;
    const std::string cause = causeOf(first);
    m_request.warn(cause);
    warnOfOthers(first, cause);
    // The first rank writes the events. If it could not, the launcher does.
    if (m_request.paths && first == 0 && !(WIFEXITED(*m_ranks[0].waitStatus) && !m_ranks[0].wasEnded)) {
        if (Result<Journal> journal = Journal::openAfter(*m_request.paths, m_began)) [[maybe_unused]]
            const Result<void> ended = journal->event("fault", cause);
    }
    return status;
}

Result<int> Attempt::run()
{
    if (const Result<void> started = start(); !started)
        return started.error();
    while (anyRuns()) {
        pollfd wake{.fd = m_signals, .events = POLLIN, .revents = 0};
        ::poll(&wake, 1, m_failed ? 100 : 1000);
        passSignalsOn();
        reap();
        endOtherRanks();
    }
    return report();
}

} // namespace

Result<int> launchRanks(const LaunchRequest &request)
{
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGUSR1})
        ::sigaddset(&watched, number);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    const FileDescriptor signals(::signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC));
    const std::optional<LaunchFiles> files =
        request.paths ? std::optional(LaunchFiles::create(*request.paths)) : std::nullopt;
    Result<int> status = 0;
    for (int restart = 0; restart <= request.maxRestarts; ++restart) {
        if (restart > 0)
            request.warn("restart " + std::to_string(restart) + " of " + std::to_string(request.maxRestarts) +
                         ", from the latest checkpoint");
        Attempt attempt(request, restart, signals.get());
        status = attempt.run();
        const bool again = status &&
                           (*status == exitStatusOf(Fault::Peer) || *status == exitStatusOf(Fault::Outside)) &&
                           attempt.mayRestart();
        if (!again)
            break;
    }
    if (files)
        files->writeExitStatus(status ? *status : 3);
    return status;
}

} // namespace slipway
