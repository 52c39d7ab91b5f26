// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

// Both ends of a pipe. The destructor closes them.
class Pipe {
public:
    Pipe() { m_valid = ::pipe2(m_ends.data(), O_CLOEXEC) == 0; }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    void closeEnd(std::size_t end)
    {
        if (m_ends[end] >= 0)
            ::close(m_ends[end]);
        m_ends[end] = -1;
    }
    [[nodiscard]] int end(std::size_t index) const { return m_ends[index]; }
    [[nodiscard]] bool valid() const { return m_valid; }

private:
    std::array<int, 2> m_ends{-1, -1};
    bool m_valid = false;
};

int spawn(const std::vector<std::string> &argv, int input, const Pipe &out, const Pipe &err, pid_t &pid)
{
    std::vector<std::string> words = argv;
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input < 0)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.end(1), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.end(1), STDERR_FILENO);
    // These programs ignore signals that a training script and the pipes in it rely on. A shell cannot undo that.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int failure = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// Returns the input as an unnamed file in memory, or -1 if there is no input. Unlike a pipe, the file needs no writer
// while the output is read.
Result<int> inputFile(std::string_view input)
{
    if (input.empty())
        return -1;
    const int fd = ::memfd_create("input", MFD_CLOEXEC);
    std::size_t written = 0;
    while (fd >= 0 && written < input.size()) {
        const ssize_t count = ::write(fd, input.data() + written, input.size() - written);
        if (count < 0 && errno != EINTR)
            break;
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (fd >= 0 && written == input.size() && ::lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    const Error error{.what = "cannot store the input of a command: " + systemMessage(errno), .fault = Fault::Outside};
    if (fd >= 0)
        ::close(fd);
    return error;
}

// Returns false at the end of the pipe.
bool takeBytes(int fd, std::string &into)
{
    char chunk[65536];
    const ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count > 0)
        into.append(chunk, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
}

// Returns why the child must be ended. Empty if it closed both pipes itself.
std::optional<std::string> collect(Pipe &out, Pipe &err, ChildResult &result, const ChildLimits &limits)
{
    using namespace std::chrono;
    constexpr std::int64_t kBetweenStops = 100; // ms
    const auto until = steady_clock::now() + limits.time;
    while (out.end(0) >= 0 || err.end(0) >= 0) {
        const std::int64_t left = duration_cast<milliseconds>(until - steady_clock::now()).count();
        if (left <= 0)
            return "gave no answer within " + formatSeconds(duration<double>(limits.time).count());
        if (std::optional<std::string> reason = limits.stop ? limits.stop() : std::nullopt)
            return reason;
        std::array<pollfd, 2> ends{pollfd{out.end(0), POLLIN, 0}, pollfd{err.end(0), POLLIN, 0}};
        const std::int64_t wait = std::min<std::int64_t>(left, limits.stop ? kBetweenStops : 60'000);
        if (::poll(ends.data(), ends.size(), static_cast<int>(wait)) < 0) {
            if (errno == EINTR)
                continue;
            return "its output cannot be awaited: " + systemMessage(errno);
        }
        if (ends[0].revents != 0 && !takeBytes(out.end(0), result.out))
            out.closeEnd(0);
        if (ends[1].revents != 0 && !takeBytes(err.end(0), result.err))
            err.closeEnd(0);
        if (static_cast<Bytes>(std::max(result.out.size(), result.err.size())) > limits.output)
            return "printed more than " + formatBytes(limits.output);
    }
    return std::nullopt;
}

// Whether the child ends within that time. `child` is a descriptor of its process, or -1 if the kernel supports none.
bool endsWithin(int child, std::chrono::milliseconds time)
{
    pollfd ended{child, POLLIN, 0};
    int found = 0;
    while ((found = ::poll(&ended, 1, static_cast<int>(time.count()))) < 0 && errno == EINTR) {
    }
    return found > 0;
}

// Sends SIGTERM first: rsync then ends its own children. After a SIGKILL they would continue to run.
void endChild(pid_t pid, int child)
{
    ::kill(pid, SIGTERM);
    if (!endsWithin(child, std::chrono::seconds(2)))
        ::kill(pid, SIGKILL);
}

} // namespace

Result<ChildResult> runChild(const std::vector<std::string> &argv, const ChildLimits &limits, std::string_view input)
{
    Pipe out, err;
    if (argv.empty() || !out.valid() || !err.valid())
        return Error{.what = "cannot create a pipe: " + systemMessage(errno), .fault = Fault::Outside};
    const Result<int> inputEnd = inputFile(input);
    if (!inputEnd)
        return inputEnd.error();
    pid_t pid = 0;
    const int failure = spawn(argv, *inputEnd, out, err, pid);
    if (*inputEnd >= 0)
        ::close(*inputEnd);
    if (failure != 0)
        return Error{.what = "cannot be started: " + systemMessage(failure), .where = argv[0], .fault = Fault::Outside};
    out.closeEnd(1);
    err.closeEnd(1);
    ChildResult result;
    const int child = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    std::optional<std::string> broken = collect(out, err, result, limits);
    if (!broken && child >= 0 && !endsWithin(child, limits.time))
        broken = "closed its output and did not end";
    out.closeEnd(0);
    err.closeEnd(0);
    if (broken)
        endChild(pid, child);
    if (child >= 0)
        ::close(child);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (broken)
        return Error{.what = *broken, .where = argv[0], .fault = Fault::Outside};
    result.exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

} // namespace slipway
