// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/control_group.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

// A small /proc and /sys that a test writes.
class ControlGroupTest : public ::testing::Test {
protected:
    void write(const std::string &path, const std::string &text)
    {
        std::filesystem::create_directories((m_root / path).parent_path());
        std::ofstream(m_root / path) << text;
    }
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_root = m_temporary.path();
};

double threadsOfAffinity()
{
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST_F(ControlGroupTest, WithoutAQuotaAllThreadsOfTheAffinityMaskAreUsed)
{
    EXPECT_EQ(processorQuota(m_root), threadsOfAffinity());
    write("proc/self/cgroup", "0::/g\n");
    write("sys/fs/cgroup/g/cpu.max", "max 100000\n");
    EXPECT_EQ(processorQuota(m_root), threadsOfAffinity());
    EXPECT_EQ(usableThreads(m_root), threadsOfAffinity());
}

TEST_F(ControlGroupTest, AQuotaIsAFractionOfItsPeriod)
{
    write("proc/self/cgroup", "0::/g\n");
    write("sys/fs/cgroup/g/cpu.max", "25000 100000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.25);
    write("sys/fs/cgroup/g/cpu.max", "25000 50000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.5);
}

TEST_F(ControlGroupTest, AQuotaAboveTheAffinityMaskChangesNothing)
{
    write("sys/fs/cgroup/cpu.max", "1000000000 1000\n");
    EXPECT_EQ(processorQuota(m_root), threadsOfAffinity());
}

TEST_F(ControlGroupTest, TheSmallestQuotaOfAGroupAndThoseAboveItHolds)
{
    write("proc/self/cgroup", "0::/outer/inner\n");
    write("sys/fs/cgroup/outer/inner/cpu.max", "75000 100000\n");
    write("sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.5);
    write("sys/fs/cgroup/cpu.max", "25000 100000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.25);
}

// As in a container of a runtime that mounts the group as the root.
TEST_F(ControlGroupTest, AGroupWhoseFolderIsNotMountedHasTheQuotaOfTheMountedRoot)
{
    write("proc/self/cgroup", "0::/docker/abc\n");
    write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.5);
}

TEST_F(ControlGroupTest, ReadsAQuotaOfTheFirstVersion)
{
    write("proc/self/cgroup", "5:memory:/m\n4:cpuacct,cpu:/docker/abc\n");
    write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "50000\n");
    write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "200000\n");
    EXPECT_DOUBLE_EQ(processorQuota(m_root), 0.25);
    write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(processorQuota(m_root), threadsOfAffinity());
}

TEST_F(ControlGroupTest, ThreadsAreTheQuotaRoundedUp)
{
    write("proc/self/cgroup", "0::/g\n");
    write("sys/fs/cgroup/g/cpu.max", "1000 100000\n");
    EXPECT_EQ(usableThreads(m_root), 1);
    write("sys/fs/cgroup/g/cpu.max", "100000 100000\n");
    EXPECT_EQ(usableThreads(m_root), 1);
    write("sys/fs/cgroup/g/cpu.max", "110000 100000\n");
    EXPECT_EQ(usableThreads(m_root), std::min(2.0, threadsOfAffinity()));
}

TEST_F(ControlGroupTest, DamagedQuotasAreNone)
{
    for (const char *text : {"", "\n", "0 100000\n", "-5 100000\n", "50000\n", "50000 0\n", "50000 -1\n", "a b\n"}) {
        write("sys/fs/cgroup/cpu.max", text);
        EXPECT_EQ(processorQuota(m_root), threadsOfAffinity()) << text;
    }
}

TEST_F(ControlGroupTest, ReadsTheMemoryLimitOfEitherVersion)
{
    EXPECT_FALSE(groupMemoryLimit(m_root));
    write("proc/self/cgroup", "5:memory:/m\n");
    write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_FALSE(groupMemoryLimit(m_root)); // what version 1 reports without a limit
    write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1073741824\n");
    EXPECT_EQ(groupMemoryLimit(m_root), kGiB);
    write("sys/fs/cgroup/memory.max", "4096\n");
    EXPECT_EQ(groupMemoryLimit(m_root), 4096);
}

} // namespace
} // namespace slipway
