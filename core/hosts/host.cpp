// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/host.h"

#include "hosts/local_host.h"
#include "runs/remote_run.h"

namespace slipway {

bool Preflight::passed() const
{
    for (const PreflightCheck &check : checks) {
        if (!check.passed)
            return false;
    }
    return true;
}

std::string Preflight::failures() const
{
    std::string text;
    for (const PreflightCheck &check : checks) {
        if (check.passed)
            continue;
        if (!text.empty())
            text += '\n';
        text += check.what + ": " + check.detail;
    }
    return text;
}

Fault Preflight::fault() const
{
    for (const PreflightCheck &check : checks) {
        if (!check.passed)
            return check.fault;
    }
    return Fault::Input;
}

Result<std::unique_ptr<Host>> makeHost(const std::string &name, const std::vector<std::string> &)
{
    if (name == "local")
        return std::unique_ptr<Host>(std::make_unique<LocalHost>());
    return Error{.what = "this version starts runs on this machine only, not on '" + name + "'", .where = "--on", .accepted = "local"};
}

Result<std::unique_ptr<Host>> hostOfRun(const std::filesystem::path &directory)
{
    const RunPaths paths{directory};
    if (!isRemoteRun(paths))
        return makeHost("local");
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    return makeHost(run->host, run->options);
}

} // namespace slipway
