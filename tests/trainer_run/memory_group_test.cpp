// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/memory_group.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using namespace testing;

void write(const std::filesystem::path &file, const std::string &text)
{
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(writeNamedFile(file, text));
}

TEST(MemoryGroup, IsReadInTheKernelsSecondVersion)
{
    const ScratchFolder folder;
    write(folder / "membership", "0::/user.slice/job\n");
    write(folder / "root/user.slice/job/memory.events", "low 0\noom 4\noom_kill 3\noom_group_kill 0\n");
    write(folder / "root/user.slice/job/memory.max", "314572800\n");
    const auto group = MemoryGroup::ofThisProcess(folder / "root", folder / "membership");
    ASSERT_TRUE(group);
    EXPECT_EQ(group->kills(), 3);
    EXPECT_EQ(group->limit(), 300 * kMiB);
    write(folder / "root/user.slice/job/memory.max", "max\n");
    EXPECT_FALSE(group->limit());
}

TEST(MemoryGroup, IsReadInTheKernelsFirstVersion)
{
    const ScratchFolder folder;
    write(folder / "membership", "9:name=systemd:/\n4:memory:/job\n0::/\n");
    write(folder / "root/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    write(folder / "root/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    const auto group = MemoryGroup::ofThisProcess(folder / "root", folder / "membership");
    ASSERT_TRUE(group);
    EXPECT_EQ(group->kills(), 2);
    EXPECT_FALSE(group->limit());
}

// Its name there is that of outside.
TEST(MemoryGroup, OfAContainerIsItsRoot)
{
    const ScratchFolder folder;
    write(folder / "membership", "0::/docker/0123\n");
    write(folder / "root/memory.events", "oom_kill 1\n");
    const auto group = MemoryGroup::ofThisProcess(folder / "root", folder / "membership");
    ASSERT_TRUE(group);
    EXPECT_EQ(group->kills(), 1);
    EXPECT_FALSE(MemoryGroup::ofThisProcess(folder / "nowhere", folder / "membership"));
}

} // namespace
} // namespace slipway
