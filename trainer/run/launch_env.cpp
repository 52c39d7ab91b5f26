// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_env.h"

#include "base/text.h"

namespace slipway {

namespace {

Result<LaunchEnvironment> readRank(const std::function<const char *(const char *)> &variable, const char *rankName, const char *worldName, const char *origin)
{
    const char *const rankText = variable(rankName);
    const std::optional<std::int64_t> world = parseInteger(variable(worldName));
    const std::optional<std::int64_t> rank = rankText ? parseInteger(rankText) : std::nullopt;
    if (!world || *world < 1 || *world > 1'000'000)
        return Error{.what = "is no number of ranks", .where = worldName, .accepted = "1 or more"};
    if (!rank || *rank < 0 || *rank >= *world)
        return Error{.what = "is no rank", .where = rankName, .accepted = "0 to " + std::to_string(*world - 1)};
    return LaunchEnvironment{.rank = static_cast<int>(*rank), .world = static_cast<int>(*world), .origin = origin};
}

} // namespace

Result<LaunchEnvironment> launchEnvironment(const std::function<const char *(const char *)> &variable)
{
    if (variable("WORLD_SIZE"))
        return readRank(variable, "RANK", "WORLD_SIZE", "torchrun");
    // sbatch sets SLURM_NTASKS for the batch script too, which is no rank: a step has SLURM_STEP_NUM_TASKS.
    if (variable("SLURM_STEP_NUM_TASKS") && variable("SLURM_PROCID"))
        return readRank(variable, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm");
    return LaunchEnvironment{};
}

} // namespace slipway
