// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/processor.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

// A small /proc and /sys that a test writes.
class ProcessorFactsTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
        write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Test 9000\ncpu MHz\t\t: 3000.0\nsiblings\t: 8\ncpu "
                              "cores\t: 4\n\nprocessor : 1\nmodel name : Other\n");
    }
    void write(const std::string &path, const std::string &text)
    {
        std::filesystem::create_directories((m_root / path).parent_path());
        std::ofstream(m_root / path) << text;
    }
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_root = m_temporary.path();
};

TEST_F(ProcessorFactsTest, ReadsMemoryModelAndClock)
{
    const ProcessorFacts facts = processorFacts(m_root);
    EXPECT_EQ(facts.memory, 16 * kGiB);
    EXPECT_EQ(facts.model, "Test 9000");
    EXPECT_DOUBLE_EQ(facts.hertz, 3e9);
    EXPECT_EQ(facts.threadsPerCore, 2);
    EXPECT_GE(facts.cores, 1);
}

TEST_F(ProcessorFactsTest, PrefersTheHighestClockWhereTheKernelTellsIt)
{
    write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4500000\n");
    EXPECT_DOUBLE_EQ(processorFacts(m_root).hertz, 4.5e9);
}

TEST_F(ProcessorFactsTest, HonoursAMemoryLimitOfTheGroupOrOfOneAboveIt)
{
    write("proc/self/cgroup", "0::/outer/inner\n");
    write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    EXPECT_EQ(processorFacts(m_root).memory, 16 * kGiB);
    write("sys/fs/cgroup/outer/memory.max", "4294967296\n");
    EXPECT_EQ(processorFacts(m_root).memory, 4 * kGiB);
    write("sys/fs/cgroup/outer/inner/memory.max", "2147483648\n");
    EXPECT_EQ(processorFacts(m_root).memory, 2 * kGiB);
}

TEST_F(ProcessorFactsTest, HonoursALimitOfTheFirstVersionOfGroups)
{
    write("proc/self/cgroup", "4:cpu,cpuacct:/x\n5:memory:/docker/abc\n");
    write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1073741824\n");
    EXPECT_EQ(processorFacts(m_root).memory, kGiB);
}

TEST_F(ProcessorFactsTest, HonoursAQuotaOfProcessorTime)
{
    write("proc/self/cgroup", "0::/g\n");
    write("sys/fs/cgroup/g/cpu.max", "200000 100000\n");
    EXPECT_EQ(processorFacts(m_root).cores, 1); // two threads of one core
    write("sys/fs/cgroup/g/cpu.max", "max 100000\n");
    EXPECT_GE(processorFacts(m_root).cores, 1);
}

TEST_F(ProcessorFactsTest, SurvivesDamagedAndMissingFiles)
{
    write("proc/meminfo", "MemTotal: lots kB\n");
    write("proc/cpuinfo", "no colons here\ncpu MHz : fast\nsiblings : -3\n");
    write("proc/self/cgroup", "\n:::::\n");
    const ProcessorFacts facts = processorFacts(m_root);
    EXPECT_EQ(facts.memory, 0);
    EXPECT_GT(facts.hertz, 0);
    EXPECT_GE(processorFacts(m_root / "nothing").cores, 1);
}

TEST(ProcessorDevice, MultipliesCoresClockAndLanes)
{
    const Gpu cpu = processorDevice({.model = "T", .cores = 4, .hertz = 2e9, .fp32PerCycle = 32, .memory = 8 * kGiB},
        {.cpuCoreBandwidth = 10e9, .cpuSocketBandwidth = 200e9});
    EXPECT_EQ(cpu.id, "cpu");
    EXPECT_TRUE(cpu.isCpu);
    EXPECT_DOUBLE_EQ(cpu.fp32Flops, 256e9);
    EXPECT_EQ(cpu.memoryBytes, 8 * kGiB);
    EXPECT_DOUBLE_EQ(cpu.memoryBandwidth, 40e9);
    EXPECT_NE(cpu.notes.find("estimate"), std::string::npos);
}

TEST(ProcessorDevice, EndsTheBandwidthOfManyCoresAtASockets)
{
    const SpeedRates constants{.cpuCoreBandwidth = 10e9, .cpuSocketBandwidth = 200e9};
    EXPECT_DOUBLE_EQ(processorDevice({.cores = 128}, constants).memoryBandwidth, 200e9);
}

} // namespace
} // namespace slipway
