// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace slipway {

// Waits until the condition holds, looking whenever something in the folder changes (and now and then, for what shows
// in no file). False after the limit, which a healthy machine never reaches.
inline bool waitUntil(const std::filesystem::path &folder, const std::function<bool()> &condition,
    std::chrono::seconds limit = std::chrono::seconds(60))
{
    const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    ::inotify_add_watch(watch, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_DELETE);
    const auto until = std::chrono::steady_clock::now() + limit;
    bool holds = condition();
    while (!holds && std::chrono::steady_clock::now() < until) {
        pollfd change{watch, POLLIN, 0};
        char events[4096];
        if (::poll(&change, 1, 50) > 0 && ::read(watch, events, sizeof events) < 0)
            break;
        holds = condition();
    }
    ::close(watch);
    return holds;
}

} // namespace slipway
