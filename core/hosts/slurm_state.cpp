// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/slurm_state.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace slipway {

namespace {

constexpr Seconds kSubmissionLimit = 180; // squeue and sbatch together may take 150 s to answer

const std::string kNoController = "Slurm's controller does not answer: ";

// Returns the value of a field such as "JobState=PENDING", up to the next blank. Fields whose values contain blanks are
// not read.
std::string field(const std::string &line, const std::string &name)
{
    const std::string key = " " + name + "=";
    const std::size_t found = (" " + line).find(key);
    if (found == std::string::npos)
        return "";
    const std::size_t begin = found + key.size() - 1;
    return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

RunStatus of(RunState state, std::string detail = {}, std::optional<int> exitStatus = {})
{
    return {.state = state, .exitStatus = exitStatus, .detail = std::move(detail)};
}

// How a job ended if Slurm knows more than an exit status tells. Empty if it does not.
std::optional<RunStatus> endedBySlurm(const std::string &state, std::optional<int> exitStatus)
{
    if (state == "TIMEOUT" || state == "DEADLINE")
        return of(RunState::TimedOut, "Slurm ended the job at its time limit", exitStatus);
    if (state == "PREEMPTED")
        return of(RunState::Preempted, "Slurm gave its nodes to another job", exitStatus);
    if (state == "OUT_OF_MEMORY")
        return of(RunState::Failed, "Slurm ended the job: it used more memory than it had requested", exitStatus);
    if (state == "NODE_FAIL" || state == "BOOT_FAIL")
        return of(RunState::Lost, "its node failed", exitStatus);
    if (state == "CANCELLED" || state == "REVOKED")
        return of(RunState::Cancelled, "its job was cancelled", exitStatus);
    return std::nullopt;
}

} // namespace

SlurmJob parseSlurmJob(const std::string &line, const std::string &problem)
{
    SlurmJob job{.state = field(line, "JobState"),
        .reason = field(line, "Reason"),
        .estimate = field(line, "StartTime"),
        .problem = problem};
    if (job.estimate == "Unknown" || job.estimate == "N/A") // as scontrol and as squeue write it
        job.estimate.clear();
    job.forgotten = job.state.empty() && problem.find("Invalid job id") != std::string::npos;
    return job;
}

std::string plainReason(const std::string &reason)
{
    static constexpr std::array<std::pair<const char *, const char *>, 13> words{{
        {"Resources", "waits until nodes are free"},
        {"Priority", "waits for jobs of higher priority"},
        {"None", "was just submitted"},
        {"BeginTime", "waits for its start time"},
        {"Dependency", "waits for another job"},
        {"JobHeldUser", "is held; scontrol release lets it start"},
        {"JobHeldAdmin", "is held by the cluster's administrator"},
        {"PartitionTimeLimit",
            "requests more time than its partition allows, so it never starts: stop it, and lower time_limit"},
        {"PartitionConfig", "requests more than its partition allows, so it never starts: stop it, and request less"},
        {"PartitionDown", "waits for its partition, which is down"},
        {"ReqNodeNotAvail", "waits for nodes that are down or reserved"},
        {"launch_failed_requeued_held",
            "could not be started by its node and is held; scontrol release lets it try again"},
        {"NodeDown", "waits for a node that is down"},
    }};
    for (const auto &[name, text] : words) {
        if (reason == name || reason.starts_with(std::string(name) + ","))
            return text;
    }
    return reason.empty() ? "waits" : "waits: " + reason;
}

RunStatus slurmStatus(const RunQueryResult &result, const SlurmJob &job, const KnownStatus &before)
{
    if (!result.directoryExists)
        return of(RunState::Unknown, "the run directory cannot be found on the host now");
    const RunFacts &facts = result.facts;
    const bool waits =
        job.state == "PENDING" || job.state == "REQUEUED" || job.state == "REQUEUE_HOLD" || job.state == "REQUEUE_FED";
    if (facts.exitStatus && !waits) { // if the job waits again, rc is from before it was requeued
        const RunStatus plain = statusFrom(facts);
        return *facts.exitStatus == 0 ? plain : endedBySlurm(job.state, facts.exitStatus).value_or(plain);
    }
    if (!facts.attemptAge)
        return of(RunState::Draft);
    if (result.job.empty() && !job.problem.empty())
        return of(RunState::Unknown, kNoController + std::string(trimmed(job.problem)));
    if (result.job.empty() && result.jobNotFound && std::abs(*facts.attemptAge) > kSubmissionLimit)
        return of(RunState::Lost, "its submission was interrupted: Slurm has no job of this run");
    if (result.job.empty() && !result.jobNotFound && before.status.state == RunState::Lost)
        return before.status; // not asked this time
    if (result.job.empty())
        return of(RunState::Queued, "the start was requested; it has no job number yet");
    const std::string name = "job " + result.job;
    if (job.forgotten)
        return of(RunState::Lost, "Slurm no longer knows " + name + ", and it left no exit status");
    if (job.state.empty()) {
        if (!job.problem.empty())
            return of(RunState::Unknown, kNoController + std::string(trimmed(job.problem)));
        if (before.unreachable.starts_with(kNoController))
            return of(RunState::Unknown, before.unreachable); // until Slurm is asked again
        return before.status.state == RunState::Draft ? of(RunState::Queued, name)
                                                      : before.status; // not asked this time
    }
    if (waits)
        return of(RunState::Queued, name + " " + plainReason(job.reason) +
                                        (job.estimate.empty() ? "" : "; Slurm's estimated start: " + job.estimate));
    if (const std::optional<RunStatus> ended = endedBySlurm(job.state, std::nullopt))
        return *ended;
    if (job.state == "FAILED" && facts.stopRequested)
        return of(RunState::Cancelled, name + " was killed on request");
    if (job.state == "FAILED" || job.state == "COMPLETED")
        return of(RunState::Lost, name + " has ended and left no exit status");
    return of(facts.stopRequested ? RunState::Stopping : RunState::Running, name);
}

} // namespace slipway
