// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/hosted_run.h"
#include "runs/remote_run.h"
#include "runs/run_directory.h"

namespace slipway::cli {

int fetchRun(const RunOptions &options)
{
    const Result<HostedRun> run = findHostedRun(options.run);
    if (!run)
        return fail(run.error());
    const RunPaths paths{run->directory};
    const FetchScope what = options.checkpoint ? FetchScope::WithCheckpoint : FetchScope::SmallFiles;
    if (const Result<void> refreshed = run->host->refresh(paths); !refreshed)
        return fail(refreshed.error());
    // A refresh only records that the host cannot be reached. For a fetch, this is an error, because the latest steps
    // would be missing.
    if (const auto known = readKnownStatus(paths); known && !known->unreachable.empty())
        return fail(Error{.what = known->unreachable, .where = options.run, .fault = Fault::Outside});
    const Result<Bytes> bytes = run->host->fetchBytes(paths, what);
    if (!bytes)
        return fail(bytes.error());
    note(fmt::format("{} from {}", formatBytes(*bytes), run->host->name()));
    if (const Result<void> fetched = run->host->fetch(paths, what); !fetched)
        return fail(fetched.error());
    print((options.checkpoint ? paths.checkpoints() : run->directory).string() + "\n");
    return Done;
}

} // namespace slipway::cli
