// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/stall_detector.h"

#include <ctime>
#include <string_view>
#include <sys/resource.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

Seconds processorTime(clockid_t clock)
{
    timespec time{};
    return clock_gettime(clock, &time) == 0
               ? static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9
               : 0;
}

// Reads lines such as "rchar: 123" (proc(5)).
std::uint64_t bytesMoved()
{
    std::uint64_t bytes = 0;
    const Result<std::string> text = readFile("/proc/self/io");
    for (const std::string_view line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        for (const std::string_view counter : {"read_bytes: ", "write_bytes: "}) {
            if (line.starts_with(counter))
                bytes += static_cast<std::uint64_t>(parseInteger(line.substr(counter.size())).value_or(0));
        }
    }
    return bytes;
}

} // namespace

ProcessActivity processActivity()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return {.processor = processorTime(CLOCK_PROCESS_CPUTIME_ID) - processorTime(CLOCK_THREAD_CPUTIME_ID),
        .transferred = bytesMoved() + static_cast<std::uint64_t>(usage.ru_majflt)};
}

bool StallDetector::check(const ProcessActivity &signs)
{
    const ProcessActivity before = std::exchange(m_before, signs);
    const bool computes = !signs.reportDeviceWait && signs.processor - before.processor >= kBusy;
    const bool moves = signs.steps != before.steps || signs.transferred != before.transferred || computes;
    m_unchanged = moves ? 0 : m_unchanged + 1;
    return m_unchanged > kPatience;
}

} // namespace slipway
