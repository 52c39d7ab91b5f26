// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_env.h"

#include <gmock/gmock.h>

#include <map>

namespace slipway {
namespace {

using ::testing::HasSubstr;

Result<LaunchEnvironment> with(const std::map<std::string, std::string> &variables)
{
    return launchEnvironment([&variables](const char *name) -> const char * {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(LaunchEnvironment, IsOneProcessWhereNothingIsSet)
{
    EXPECT_EQ(*with({}), LaunchEnvironment{});
}

TEST(LaunchEnvironment, IsTorchrunsThenSlurms)
{
    EXPECT_EQ(*with({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}), (LaunchEnvironment{.rank = 3, .world = 8, .origin = "torchrun"}));
    EXPECT_EQ(*with({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), (LaunchEnvironment{.rank = 1, .world = 2, .origin = "Slurm"}));
}

TEST(LaunchEnvironment, OfABatchScriptIsNoRank)
{
    EXPECT_EQ(*with({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}), LaunchEnvironment{});
}

TEST(LaunchEnvironment, NamesTheVariableThatIsNoRank)
{
    EXPECT_THAT(with({{"RANK", "8"}, {"WORLD_SIZE", "8"}}).error().message(), HasSubstr("RANK: is no rank (accepted: 0 to 7)"));
    EXPECT_THAT(with({{"WORLD_SIZE", "8"}}).error().message(), HasSubstr("RANK"));
    EXPECT_THAT(with({{"RANK", "0"}, {"WORLD_SIZE", "many"}}).error().message(), HasSubstr("WORLD_SIZE: is no number of ranks"));
}

} // namespace
} // namespace slipway
