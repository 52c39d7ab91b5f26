// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run whose ops a device would run by itself, played by LibTorch on the processor: the next batch is read meanwhile.
#include <map>

#include <gtest/gtest.h>

#include "run/run_loop.h"
#include "scratch_folder.h"
#include "support/shipped_catalogue.h"
#include "tiny_run.h"

namespace slipway::testing {
namespace {

std::map<std::int64_t, double> trained(const RunPaths &run, BackendKind backend, bool resume = false)
{
    Result<RunJob> job = prepareRun(run.directory, catalogue());
    if (!job)
        return {};
    job->backend = backend;
    const Result<int> status = train(*job, {.resume = resume, .threads = 1});
    EXPECT_TRUE(status && *status == 0) << messageOf(status);
    return lossesOf(run);
}

TEST(ReadAhead, TrainsOnTheSameBatchesInTheSameOrder)
{
    const ScratchFolder folder;
    const std::vector<std::string> lines{"steps: 12", "eval_every: 5"};
    const std::map<std::int64_t, double> now = trained(makeTinyRun(folder / "a", lines), BackendKind::Host),
                                         ahead = trained(makeTinyRun(folder / "b", lines), BackendKind::TorchCpu);
    ASSERT_EQ(now.size(), 12U);
    ASSERT_EQ(ahead.size(), now.size());
    for (const auto &[step, loss] : now)
        EXPECT_NEAR(ahead.at(step) / loss, 1.0, 1e-5) << step;
}

} // namespace
} // namespace slipway::testing
