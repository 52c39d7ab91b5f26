// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/stop_monitor.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace slipway {

namespace {

constexpr int kTimedOut = 124; // like timeout(1)

// A signal handler can only access this variable.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);

void receive(int signalNumber)
{
    if (signalNumber == SIGINT && received.load() == SIGINT) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
    }
    received.store(signalNumber);
}

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGUSR1};

} // namespace

StopMonitor::StopMonitor(RunPaths paths, std::optional<Seconds> timeLimit) : m_paths(std::move(paths))
{
    received.store(0);
    struct sigaction action{};
    action.sa_handler = receive;
    action.sa_flags = SA_RESTART;
    for (const int signalNumber : kSignals)
        ::sigaction(signalNumber, &action, nullptr);
    if (timeLimit)
        limit(*timeLimit, "the time limit of " + formatSeconds(*timeLimit));
}

void StopMonitor::limit(Seconds after, std::string text)
{
    constexpr Seconds kNever = 1e9; // seconds; the largest value that does not overflow a clock
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(std::clamp(after, 0.0, kNever)));
    if (m_deadline && *m_deadline <= deadline)
        return;
    m_deadline = deadline;
    m_limitText = std::move(text);
}

StopMonitor::~StopMonitor()
{
    for (const int signalNumber : kSignals)
        std::signal(signalNumber, SIG_DFL);
}

std::optional<StopReason> StopMonitor::reason() const
{
    switch (received.load()) {
    case SIGINT:
        return StopReason{.text = "SIGINT", .exitStatus = 128 + SIGINT};
    case SIGTERM:
        return StopReason{.text = "SIGTERM", .exitStatus = 128 + SIGTERM};
    case SIGUSR1:
        return StopReason{.text = "SIGUSR1", .exitStatus = 128 + SIGTERM};
    default:
        break;
    }
    std::error_code ignored;
    if (std::filesystem::exists(m_paths.stopRequest(), ignored))
        return StopReason{.text = "stop.request", .exitStatus = 128 + SIGTERM};
    if (m_deadline && std::chrono::steady_clock::now() >= *m_deadline)
        return StopReason{.text = m_limitText, .exitStatus = kTimedOut};
    return std::nullopt;
}

} // namespace slipway
