// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Loaded by LD_PRELOAD before libc: who opens the file SLIPWAY_HELD_FILE to read it first waits until another process
// has opened and closed the pipe SLIPWAY_HELD_BY for writing, as on a network file system that does not respond.
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

void waitWhereHeld(const char *path)
{
    const char *const held = std::getenv("SLIPWAY_HELD_FILE");
    const char *const pipe = std::getenv("SLIPWAY_HELD_BY");
    if (held == nullptr || pipe == nullptr || std::strcmp(path, held) != 0)
        return;
    const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, pipe, O_RDONLY | O_CLOEXEC));
    char byte = 0;
    while (fd >= 0 && ::read(fd, &byte, 1) > 0) {
    }
    ::close(fd);
}

int openHeld(const char *name, const char *path, int flags, va_list arguments)
{
    const auto real = reinterpret_cast<int (*)(const char *, int, ...)>(::dlsym(RTLD_NEXT, name));
    const bool makes = (flags & (O_CREAT | O_TMPFILE)) != 0;
    const mode_t mode = makes ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
    waitWhereHeld(path);
    return real(path, flags, mode);
}

} // namespace

extern "C" {

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int fd = openHeld("open", path, flags, arguments);
    va_end(arguments);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int fd = openHeld("open64", path, flags, arguments);
    va_end(arguments);
    return fd;
}

// Fortified callers without O_CREAT. The names are those of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
// NOLINTEND(bugprone-reserved-identifier)

} // extern "C"
