// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/hosted_run.h"

#include <utility>

#include "runs/registry.h"

namespace slipway::cli {

Result<HostedRun> findHostedRun(const std::string &run)
{
    Result<std::filesystem::path> directory = Registry().find(run);
    if (!directory)
        return directory.error();
    Result<std::unique_ptr<Host>> host = hostOfRun(*directory);
    if (!host)
        return host.error();
    return HostedRun{*std::move(directory), *std::move(host)};
}

} // namespace slipway::cli
