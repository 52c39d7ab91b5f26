// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/host.h"

#include <algorithm>

#include "hosts/attached_host.h"
#include "hosts/local_host.h"
#include "hosts/nodes_host.h"
#include "hosts/slurm_host.h"
#include "hosts/ssh_host.h"
#include "hosts/ssh_shell.h"
#include "runs/remote_run.h"

namespace slipway {

bool Preflight::passed(PreflightPolicy policy) const
{
    return std::all_of(checks.begin(), checks.end(), [policy](const PreflightCheck &check) {
        return check.passed || (check.prediction && policy == PreflightPolicy::IgnorePredictions);
    });
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

std::vector<Error> Host::refreshAll(const std::vector<std::filesystem::path> &directories)
{
    std::vector<Error> errors;
    for (const std::filesystem::path &directory : directories) {
        if (const Result<void> refreshed = refresh({directory}); !refreshed)
            errors.push_back(refreshed.error());
    }
    return errors;
}

Result<std::vector<Started>> Host::startAll(const std::vector<StartRequest> &requests)
{
    if (requests.size() != 1)
        return Error{.what = "launches one run at a time, not " + std::to_string(requests.size()),
            .where = name(),
            .accepted = "slurm: or slurm:ALIAS, where they become a job array"};
    const Result<Started> started = start(requests.front());
    if (!started)
        return started.error();
    return std::vector<Started>{*started};
}

Result<bool> Host::fetchFolder(const RunPaths &, const std::string &, const std::string &)
{
    return Error{.what = "cannot copy checkpoints of another training script", .where = name(), .accepted = "one host"};
}

Result<void> Host::uploadRun(const RunPaths &, const RunConfig &, const std::string &)
{
    return Error{.what = "cannot continue a run of another host", .where = name(), .accepted = "one host"};
}

std::filesystem::path keptScriptCheckpoints(const RunPaths &paths) { return paths.directory / "script-checkpoints"; }

Result<std::unique_ptr<Host>> makeHost(const std::string &name, const std::vector<std::string> &options)
{
    constexpr std::string_view kSlurm = "slurm:";
    if (name.starts_with("log:"))
        return AttachedHost::make(name);
    const bool slurm = name.starts_with(kSlurm);
    const std::string rest = slurm ? name.substr(kSlurm.size()) : name;
    if (!slurm && !options.empty())
        return Error{.what = "is for Slurm only, not for '" + name + "'",
            .where = "--sbatch",
            .accepted = "--on slurm: or slurm:ALIAS"};
    if (!slurm && rest == "local")
        return std::unique_ptr<Host>(std::make_unique<LocalHost>());
    if (!slurm && rest.find(',') != std::string::npos)
        return NodesHost::make(rest);
    const std::size_t colon = rest.find(':');
    const std::string alias = rest.substr(0, colon);
    const std::string home = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
    if (colon != std::string::npos && !home.starts_with('/'))
        return Error{.what = "'" + home + "' is not an absolute path", .where = "--on", .accepted = "HOST:/FOLDER"};
    if (slurm && (alias.empty() || alias == "local"))
        return std::unique_ptr<Host>(std::make_unique<SlurmHost>(name, std::make_unique<LocalShell>(), home, options));
    Result<std::unique_ptr<SshShell>> shell = SshShell::to(alias);
    if (!shell)
        return shell.error();
    if (slurm)
        return std::unique_ptr<Host>(std::make_unique<SlurmHost>(name, std::move(*shell), home, options));
    return std::unique_ptr<Host>(std::make_unique<SshHost>(name, std::move(*shell), home));
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
