// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "soak/process_samples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/median.h"

namespace slipway::soak {

bool ProcessSamples::take(pid_t pid)
{
    const std::filesystem::path folder = "/proc/" + std::to_string(pid);
    std::ifstream in(folder / "statm");
    long all = 0, resident = 0;
    if (pid <= 0 || !(in >> all >> resident) || resident == 0)
        return false;
    std::error_code gone;
    Sample sample{.residentMib = double(resident) * double(::sysconf(_SC_PAGESIZE)) / (1 << 20)};
    for (std::filesystem::directory_iterator fd(folder / "fd", gone), end; !gone && fd != end; fd.increment(gone))
        ++sample.descriptors;
    m_samples.push_back(sample);
    return true;
}

Sample ProcessSamples::typicalOfQuarter(std::size_t quarter) const
{
    const std::size_t begin = m_samples.size() * quarter / 4, end = m_samples.size() * (quarter + 1) / 4;
    Sample typical;
    std::vector<double> descriptors;
    for (std::size_t i = begin; i < end; ++i) {
        typical.residentMib += m_samples[i].residentMib / double(end - begin);
        descriptors.push_back(m_samples[i].descriptors);
    }
    // Copies from hosts have pipes for as long as they run, so the most depends on how many run at once. A leak raises
    // the median.
    typical.descriptors = static_cast<int>(median(std::move(descriptors)).value_or(0));
    return typical;
}

std::string ProcessSamples::text() const
{
    if (m_samples.empty())
        return m_name + " was never seen";
    const auto [leastMemory, mostMemory] = std::minmax_element(m_samples.begin(), m_samples.end(),
        [](const Sample &a, const Sample &b) { return a.residentMib < b.residentMib; });
    const auto [leastFiles, mostFiles] = std::minmax_element(m_samples.begin(), m_samples.end(),
        [](const Sample &a, const Sample &b) { return a.descriptors < b.descriptors; });
    std::string text =
        fmt::format("{:<9}{:>5} samples {:>7.1f} to {:.1f} MiB {:>4} to {} descriptors", m_name, m_samples.size(),
            leastMemory->residentMib, mostMemory->residentMib, leastFiles->descriptors, mostFiles->descriptors);
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        const Sample typical = typicalOfQuarter(quarter);
        text += fmt::format(
            "; {} {:.1f} MiB, {}", quarter == 0 ? "by quarter" : "then", typical.residentMib, typical.descriptors);
    }
    return text;
}

std::string ProcessSamples::growth() const
{
    constexpr double kMostFactor = 1.25, kMostMib = 10; // of what an allocator keeps
    constexpr int kMostDescriptors = 4;
    if (m_samples.size() < 8)
        return {};
    const Sample early = typicalOfQuarter(1), late = typicalOfQuarter(3);
    if (late.residentMib > early.residentMib * kMostFactor + kMostMib)
        return fmt::format("{} grew from {:.1f} to {:.1f} MiB", m_name, early.residentMib, late.residentMib);
    if (late.descriptors > early.descriptors + kMostDescriptors)
        return fmt::format("{} grew from {} to {} descriptors", m_name, early.descriptors, late.descriptors);
    return {};
}

} // namespace slipway::soak
