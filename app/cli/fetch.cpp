// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hosts/host.h"
#include "runs/registry.h"

namespace slipway::cli {

int fetchRun(const RunOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.run);
    if (!directory)
        return fail(directory.error());
    const Result<std::unique_ptr<Host>> host = hostOfRun(*directory);
    if (!host)
        return fail(host.error());
    const RunPaths paths{*directory};
    const Fetch what = options.checkpoint ? Fetch::Checkpoints : Fetch::Reports;
    if (const Result<void> refreshed = (*host)->refresh(paths); !refreshed)
        return fail(refreshed.error());
    const Result<Bytes> bytes = (*host)->fetchBytes(paths, what);
    if (!bytes)
        return fail(bytes.error());
    note(fmt::format("{} from {}", formatBytes(*bytes), (*host)->name()));
    if (const Result<void> fetched = (*host)->fetch(paths, what); !fetched)
        return fail(fetched.error());
    print((options.checkpoint ? paths.checkpoints() : *directory).string() + "\n");
    return Done;
}

} // namespace slipway::cli
