// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// clone() of programs under the thread sanitizer. Qt starts a process by a clone() that shares memory until exec(). The
// sanitizer of Clang 16 takes it for a fork() and then fails a check of its own (SlotAttachAndLock). Its
// clone() is weak, so this one counts; it is the C library's.
#include <cstdarg>
#include <sys/types.h>

extern "C" {

int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

__attribute__((no_sanitize("thread"))) int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
    va_list rest;
    va_start(rest, argument);
    auto *const parent = va_arg(rest, pid_t *);
    auto *const tls = va_arg(rest, void *);
    auto *const child = va_arg(rest, pid_t *);
    va_end(rest);
    return __clone(run, stack, flags, argument, parent, tls, child);
}
}
