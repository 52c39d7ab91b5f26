// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/processor.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/control_group.h"
#include "base/text.h"

namespace slipway {

namespace {

std::optional<std::int64_t> integerIn(const std::filesystem::path &file)
{
    std::ifstream stream(file);
    std::string word;
    return stream >> word ? parseInteger(word) : std::nullopt;
}

// Reads a line such as "MemTotal:       16384 kB".
Bytes memoryTotal(const std::filesystem::path &root)
{
    std::ifstream stream(root / "proc/meminfo");
    std::string line;
    while (std::getline(stream, line)) {
        if (!line.starts_with("MemTotal:"))
            continue;
        const std::string_view number = trimmed(std::string_view(line).substr(9));
        if (const auto kib = parseInteger(number.substr(0, number.find(' '))); kib && *kib > 0)
            return *kib * kKiB;
    }
    return 0;
}

// FLOPs per cycle of one core in fp32: lanes x FMA units x 2. With AVX-512, two 512-bit units are assumed, as in
// servers.
int fp32PerCycle()
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f"))
        return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 32;
    return 8;
#else
    return 16; // two 128-bit FMA units, as in current Arm cores
#endif
}

void readCpuInfo(const std::filesystem::path &root, ProcessorFacts &facts)
{
    std::ifstream stream(root / "proc/cpuinfo");
    std::string line;
    std::int64_t siblings = 0, cores = 0;
    while (std::getline(stream, line) && !line.empty()) { // the block of the first processor
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const std::string_view key = trimmed(std::string_view(line).substr(0, colon));
        const std::string_view value = trimmed(std::string_view(line).substr(colon + 1));
        if (key == "model name")
            facts.model = value;
        else if (key == "cpu MHz")
            facts.hertz = parseNumber(value).value_or(facts.hertz / 1e6) * 1e6;
        else if (key == "siblings")
            siblings = parseInteger(value).value_or(0);
        else if (key == "cpu cores")
            cores = parseInteger(value).value_or(0);
    }
    if (cores > 0 && siblings > cores)
        facts.threadsPerCore = static_cast<int>(siblings / cores);
    if (const auto kilohertz = integerIn(root / "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
        kilohertz && *kilohertz > 0)
        facts.hertz = static_cast<double>(*kilohertz) * 1e3;
}

} // namespace

ProcessorFacts processorFacts(const std::filesystem::path &root)
{
    ProcessorFacts facts;
    readCpuInfo(root, facts);
    facts.cores = std::max(1, static_cast<int>(std::lround(processorQuota(root) / facts.threadsPerCore)));
    facts.fp32PerCycle = fp32PerCycle();
    facts.memory = memoryTotal(root);
    if (const auto limit = groupMemoryLimit(root); limit && (facts.memory == 0 || *limit < facts.memory))
        facts.memory = *limit;
    return facts;
}

Gpu processorDevice(const ProcessorFacts &facts, const SpeedRates &constants)
{
    Gpu device;
    device.id = "cpu";
    device.name = fmt::format("{}, {} {}", facts.model, facts.cores, facts.cores == 1 ? "core" : "cores");
    device.arch = "cpu";
    device.isCpu = true;
    device.memoryBytes = facts.memory;
    device.nominalGb = static_cast<double>(facts.memory) / static_cast<double>(kGiB);
    device.fp32Flops = facts.cores * facts.hertz * facts.fp32PerCycle;
    device.bf16Flops = device.fp32Flops;
    device.memoryBandwidth = std::min(facts.cores * constants.cpuCoreBandwidth, constants.cpuSocketBandwidth);
    device.multiprocessors = facts.cores;
    device.linkBandwidth = device.memoryBandwidth / 2; // ranks exchange data in memory: one read, one write
    device.link = "memory";
    device.contextBytes = 0;
    device.source = "this machine (/proc, cgroup limits)";
    device.notes =
        fmt::format("The rates of this CPU are estimates, not measured: {} x {:.2f} GHz x {} FLOP per cycle, and "
                    "a memory bandwidth by the number of cores.",
            facts.cores, facts.hertz / 1e9, facts.fp32PerCycle);
    return device;
}

} // namespace slipway
