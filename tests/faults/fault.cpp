// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Loaded by LD_PRELOAD before libc: passes calls on to it, but for the one that is to fail. See fault.h. Nothing here
// takes memory from the heap, since calls come before main and between fork and exec.
#include "fault.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

using slipway::faults::Tally;
using Path = std::array<char, 512>;

struct Settings {
    const char *call = std::getenv("SLIPWAY_FAULT_CALL");
    const char *under = std::getenv("SLIPWAY_FAULT_UNDER");
    const char *file = std::getenv("SLIPWAY_FAULT_TALLY");
    int error = number("SLIPWAY_FAULT_ERROR");
    std::int64_t at = number("SLIPWAY_FAULT_AT");
    Tally *tally = nullptr;

    static int number(const char *name)
    {
        const char *const text = std::getenv(name);
        return text != nullptr ? static_cast<int>(std::strtol(text, nullptr, 10)) : 0;
    }
    Settings()
    {
        const int fd =
            file != nullptr ? static_cast<int>(::syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC)) : -1;
        if (fd < 0)
            return;
        void *const memory = ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        tally = memory != MAP_FAILED ? static_cast<Tally *>(memory) : nullptr;
    }
};

const Settings &settings()
{
    static const Settings read;
    return read;
}

template<typename Function>
Function next(const char *name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool isBelow(const char *path)
{
    const char *const folder = settings().under;
    const std::size_t length = folder != nullptr ? std::strlen(folder) : 0;
    return length > 0 && std::strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

void pathOfDescriptor(int fd, Path &into)
{
    std::array<char, 64> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(link.data(), into.data(), into.size() - 1);
    into[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
}

// Absolute; links are not followed.
void absolute(int folder, const char *path, Path &into)
{
    if (path[0] == '/') {
        std::snprintf(into.data(), into.size(), "%s", path);
        return;
    }
    Path start{};
    if (folder != AT_FDCWD)
        pathOfDescriptor(folder, start);
    else if (::getcwd(start.data(), start.size()) == nullptr)
        start[0] = '\0';
    std::snprintf(into.data(), into.size(), "%.255s/%.255s", start.data(), path);
}

// True where this call is the one that fails: errno is set. Does not come back where the process is to die.
bool fails(const char *call, const char *path)
{
    const Settings &wanted = settings();
    if (wanted.tally == nullptr || wanted.call == nullptr || std::strcmp(wanted.call, call) != 0 ||
        (path != nullptr && !isBelow(path)))
        return false;
    if (wanted.tally->calls.fetch_add(1) + 1 != wanted.at)
        return false;
    wanted.tally->failed = 1;
    std::snprintf(wanted.tally->process, sizeof wanted.tally->process, "%s", program_invocation_short_name);
    std::snprintf(wanted.tally->path, sizeof wanted.tally->path, "%s", path != nullptr ? path : "");
    if (wanted.error == 0)
        ::kill(::getpid(), SIGKILL);
    errno = wanted.error;
    return true;
}

bool failsAt(const char *call, int folder, const char *path)
{
    const int before = errno;
    Path whole{};
    absolute(folder, path, whole);
    errno = before;
    return fails(call, whole.data());
}

bool failsOn(const char *call, int fd)
{
    const int before = errno;
    Path whole{};
    pathOfDescriptor(fd, whole);
    errno = before;
    return fails(call, whole.data());
}

mode_t modeOf(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

} // namespace

extern "C" {

ssize_t write(int fd, const void *data, size_t size)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t)>("write");
    return failsOn("write", fd) ? -1 : real(fd, data, size);
}

ssize_t writev(int fd, const iovec *parts, int count)
{
    static const auto real = next<ssize_t (*)(int, const iovec *, int)>("writev");
    return failsOn("write", fd) ? -1 : real(fd, parts, count);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite");
    return failsOn("write", fd) ? -1 : real(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t, off64_t)>("pwrite64");
    return failsOn("write", fd) ? -1 : real(fd, data, size, offset);
}

int fsync(int fd)
{
    static const auto real = next<int (*)(int)>("fsync");
    return failsOn("fsync", fd) ? -1 : real(fd);
}

int fdatasync(int fd)
{
    static const auto real = next<int (*)(int)>("fdatasync");
    return failsOn("fsync", fd) ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
    static const auto real = next<int (*)(const char *, const char *)>("rename");
    return failsAt("rename", AT_FDCWD, to) ? -1 : real(from, to);
}

int renameat(int fromFolder, const char *from, int toFolder, const char *to)
{
    static const auto real = next<int (*)(int, const char *, int, const char *)>("renameat");
    return failsAt("rename", toFolder, to) ? -1 : real(fromFolder, from, toFolder, to);
}

int renameat2(int fromFolder, const char *from, int toFolder, const char *to, unsigned flags)
{
    static const auto real = next<int (*)(int, const char *, int, const char *, unsigned)>("renameat2");
    return failsAt("rename", toFolder, to) ? -1 : real(fromFolder, from, toFolder, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
    static const auto real = next<int (*)(const char *, mode_t)>("mkdir");
    return failsAt("mkdir", AT_FDCWD, path) ? -1 : real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    static const auto real = next<int (*)(int, const char *, mode_t)>("mkdirat");
    return failsAt("mkdir", folder, path) ? -1 : real(folder, path, mode);
}

int open(const char *path, int flags, ...)
{
    static const auto real = next<int (*)(const char *, int, ...)>("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return failsAt("open", AT_FDCWD, path) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    static const auto real = next<int (*)(const char *, int, ...)>("open64");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return failsAt("open", AT_FDCWD, path) ? -1 : real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    static const auto real = next<int (*)(int, const char *, int, ...)>("openat");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return failsAt("open", folder, path) ? -1 : real(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    static const auto real = next<int (*)(int, const char *, int, ...)>("openat64");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return failsAt("open", folder, path) ? -1 : real(folder, path, flags, mode);
}

// Fortified callers without O_CREAT. The names are those of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat64(folder, path, flags); }
// NOLINTEND(bugprone-reserved-identifier)

FILE *fopen(const char *path, const char *mode)
{
    static const auto real = next<FILE *(*)(const char *, const char *)>("fopen");
    return failsAt("open", AT_FDCWD, path) ? nullptr : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    static const auto real = next<FILE *(*)(const char *, const char *)>("fopen64");
    return failsAt("open", AT_FDCWD, path) ? nullptr : real(path, mode);
}

pid_t fork()
{
    static const auto real = next<pid_t (*)()>("fork");
    return fails("fork", nullptr) ? -1 : real();
}

// A function around vfork would return in the child before its parent goes on; fork gives callers what they may rely
// on.
pid_t vfork() { return fork(); }

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const *argv, char *const *environment)
{
    static const auto real = next<decltype(&posix_spawn)>("posix_spawn");
    return fails("fork", nullptr) ? errno : real(pid, path, actions, attributes, argv, environment);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const *argv, char *const *environment)
{
    static const auto real = next<decltype(&posix_spawnp)>("posix_spawnp");
    return fails("fork", nullptr) ? errno : real(pid, path, actions, attributes, argv, environment);
}

int connect(int fd, const sockaddr *address, socklen_t size)
{
    static const auto real = next<int (*)(int, const sockaddr *, socklen_t)>("connect");
    return fails("connect", nullptr) ? -1 : real(fd, address, size);
}

} // extern "C"
