// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Memory and descriptors of a process that runs for long.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace slipway::soak {

struct Sample {
    double residentMib = 0;
    int descriptors = 0;
};

class ProcessSamples {
public:
    explicit ProcessSamples(std::string name) : m_name(std::move(name)) {}

    // False where the process is gone.
    bool take(pid_t pid);
    // "watcher   40 samples   12.1 to 12.9 MiB   9 to 10 descriptors; by quarter 12.1 MiB, 9; then 12.8 MiB, 9; ..."
    [[nodiscard]] std::string text() const;
    // The last quarter against the second one: the first holds what is taken once. Empty: it has not grown.
    [[nodiscard]] std::string growth() const;

private:
    // The mean of the memory and the median of the descriptors.
    [[nodiscard]] Sample typicalOfQuarter(std::size_t quarter) const;

    std::string m_name;
    std::vector<Sample> m_samples;
};

} // namespace slipway::soak
