// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_lock.h"

#include <gmock/gmock.h>

#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;

TEST(RunLock, KeepsASecondTrainerOutUntilItIsGone)
{
    const ScratchFolder folder;
    {
        const auto first = RunLock::acquire(folder.path());
        ASSERT_TRUE(first);
        const auto second = RunLock::acquire(folder.path());
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().fault, Fault::Input);
        EXPECT_THAT(second.error().message(),
            HasSubstr("another trainer is running here, process " + std::to_string(::getpid())));
    }
    EXPECT_TRUE(RunLock::acquire(folder.path()));
}

TEST(RunLock, WhereNothingCanBeWrittenIsAFaultOutside)
{
    const auto lock = RunLock::acquire("/proc");
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().fault, Fault::Outside);
    EXPECT_THAT(lock.error().message(), HasSubstr("/proc/lock: cannot open"));
}

} // namespace
} // namespace slipway
