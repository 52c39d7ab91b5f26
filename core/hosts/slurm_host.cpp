// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/slurm_host.h"

#include <algorithm>
#include <csignal>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "config/config_io.h"
#include "frameworks/command_arguments.h"
#include "hosts/host_text.h"
#include "hosts/preflight.h"
#include "hosts/script_command.h"
#include "hosts/shell_quote.h"
#include "hosts/slurm_state.h"
#include "predict/predict.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

// One rename claims each task's attempt, with the token that identifies its job. If the reply is lost, the job is found
// by the token in squeue's comments. The batch script runs an attempt only once, even if two jobs were submitted.
const char *const submitScript = R"script(
attempt=$1 token=$2 batch=$3 count=$4
shift 4
umask 077
take() {
    cd -- "$1" && mkdir -p attempts || return 3
    [ ! -s "attempts/$attempt/token" ] || return 0
    part=attempts/.$attempt.$$
    mkdir -- "$part" && printf '%s\n' "$token" > "$part/token" && printf '%s\n' "$2" > "$part/task" &&
        { [ -z "$3" ] || printf '%s' "$3" > "$part/job.sbatch"; } || { rm -rf -- "$part"; return 3; }
    mv -T -- "$part" "attempts/$attempt" || { rm -rf -- "$part"; return 3; }
}
note() {
    echo "$2" > "$1/attempts/$attempt/job.tmp" && mv -f -- "$1/attempts/$attempt/job.tmp" "$1/attempts/$attempt/job"
}
if [ "$count" -gt 1 ]; then array=_; else array=; fi
number=0
for directory in "$@"; do
    [ "$number" -lt "$count" ] || break
    if [ "$number" = 0 ]; then first=$directory own=$batch; else own=; fi
    task=
    if [ -n "$array" ]; then task=_$number; fi
    take "$directory" "$task" "$own" || exit 3
    number=$((number + 1))
done
cd -- "$first" || exit 3
reply=already
job=$(cat "attempts/$attempt/job" 2> /dev/null)
[ -n "$job" ] || job=$(cat "attempts/$attempt/running/job" 2> /dev/null)
if [ -z "$job" ]; then
    known=$(timeout 60 squeue -h -o '%F %k') || exit 4
    job=$(printf '%s\n' "$known" | awk -v token="$token" '$2 == token { print $1; exit }')
fi
if [ -z "$job" ]; then
    reply=started
    rm -f rc pgid starttime supervisor stop.request || exit 3
    said=$(shift "$count"
        timeout 90 sbatch --comment="$token" --chdir="$(pwd)" "$@" < "attempts/$attempt/job.sbatch") || exit 5
    job=${said%%;*}
fi
job=${job%%_*}
case $job in '' | *[!0-9]*) echo "sbatch gives '$job' as the number of a job" >&2; exit 4 ;; esac
number=0
for directory in "$@"; do
    [ "$number" -lt "$count" ] || break
    if [ -n "$array" ]; then note "$directory" "${job}_$number"; else note "$directory" "$job"; fi
    number=$((number + 1))
done
if [ -n "$array" ]; then job=${job}_0; fi
echo "$reply $job"
)script";

// Used if Slurm refused a start: no attempt has begun.
const char *const forgetAttemptScript = R"script(
attempt=$1
shift
for directory in "$@"; do (cd -- "$directory" && rm -rf -- "attempts/$attempt" && rmdir attempts 2> /dev/null); done
)script";

// torchrun also reads its options from PET_ variables. The ranks meet on the first node of the job.
const char *const nodeRanksScript = R"script(
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export PET_NNODES="$SLURM_NNODES" PET_NODE_RANK="$SLURM_NODEID" PET_RDZV_BACKEND=c10d PET_RDZV_ID="$SLURM_JOB_ID"
export PET_RDZV_ENDPOINT="$first:$((20000 + SLURM_JOB_ID % 20000))"
exec "$@"
)script";

const char *const signalJobScript = R"script(
cd -- "$1" || exit 3
if ! [ -O . ]; then echo "the run's directory belongs to another user" >&2; exit 3; fi
last=$(ls attempts | grep -x '[0-9]*' | sort -n | tail -n 1)
job=$(head -c 100 "attempts/$last/job") || exit 3
case $job in '' | *[!0-9_]* | _* | *_ | *_*_*)
    echo "attempts/$last/job does not hold the number of a job" >&2
    exit 3 ;;
esac
if [ "$2" = stop ]; then
    if [ ! -e stop.request ]; then
        printf '%s\n' "$3" > stop.request.tmp && mv stop.request.tmp stop.request || exit 3
    fi
    timeout 60 scancel --state=PENDING "$job"
elif [ "$2" = TERM ]; then
    timeout 60 scancel --signal=TERM --batch "$job"
else
    # At once, the tasks of a run on several nodes and by the batch script; then what is left, for which Slurm takes its
    # time. The batch script also ends what not every Slurm knows to be of the job, such as the workers of torchrun: it
    # is given the time for it, as Slurm ends the batch script, too.
    timeout 60 scancel --signal=KILL "$job.0" 2> /dev/null
    timeout 60 scancel --signal=USR2 --batch "$job" 2> /dev/null
    tries=0
    while [ -e "attempts/$last/running" ] && ! [ -e rc ] && [ "$tries" -lt 50 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    timeout 60 scancel "$job" || [ -e rc ]
fi
)script";

std::optional<Seconds> predictedSeconds(const fs::path &directory)
{
    const Result<std::string> text = readPrivateFile(RunPaths{directory}.prediction());
    const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(text.error());
    if (!json || !json->is_object())
        return std::nullopt;
    const Result<Prediction> prediction = predictionFromJson(*json);
    return prediction ? std::optional(prediction->cost.hours * 3600) : std::nullopt;
}

// The token depends only on the directory and the attempt, not on who asks.
std::string tokenOf(const StartRequest &request)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : request.directory.string())
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return "slipway-" + std::to_string(hash) + "-" + std::to_string(request.attempt);
}

std::vector<std::string> submitArguments(const std::vector<StartRequest> &tasks, const std::vector<std::string> &sbatch)
{
    const StartRequest &first = tasks.front();
    std::vector<std::string> arguments{
        std::to_string(first.attempt), tokenOf(first), slurmBatchScript(tasks), std::to_string(tasks.size())};
    for (const StartRequest &task : tasks)
        arguments.push_back(task.directory.string());
    arguments.insert(arguments.end(), sbatch.begin(), sbatch.end());
    return arguments;
}

// One task per node if a launcher starts the node's ranks and finds the other nodes by torchrun's variables. Otherwise
// one task per rank.
std::vector<std::string> scriptOnNodes(
    const RunConfig &config, const NodeShape &shape, const ScriptRules &rules, bool resume)
{
    const std::vector<std::string> words =
        config.training.command.size() == 1 ? wordsOfLine(config.training.command.front()) : config.training.command;
    const bool launcher = std::any_of(words.begin(), words.end(), [](const std::string &word) {
        const std::string name = fs::path(word).filename().string();
        return name == "torchrun" || name == "accelerate" || name == "deepspeed" || name == "torch.distributed.run";
    });
    std::vector<std::string> before = srunPrefix({.nodes = shape.nodes, .perNode = launcher ? 1 : shape.perNode});
    if (launcher)
        before.insert(before.end(), {"/bin/sh", "-c", nodeRanksScript, "slipway-node"});
    return scriptCommand(config, rules, resume, before);
}

} // namespace

std::vector<std::string> SlurmHost::trainerCommand(
    const RunConfig &config, const fs::path &directory, bool resume) const
{
    const Result<NodeShape> shape = nodeShape(config.parallel);
    if (!shape || shape->nodes == 1) // the preflight refuses it, or one process is enough
        return ShellHost::trainerCommand(config, directory, resume);
    if (config.training.runsScript())
        return scriptOnNodes(config, *shape, readScriptRules({directory}).valueOr({}), resume);
    std::vector<std::string> command = srunPrefix(*shape);
    command.insert(command.end(), {trainer(), "run", remoteDirectory(directory)});
    if (resume)
        command.emplace_back("--resume");
    return command;
}

std::vector<PlannedCommand> SlurmHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned = ShellHost::plannedCommands(runs);
    std::vector<StartRequest> tasks;
    JobResources resources;
    for (const PlannedRun &run : runs) {
        tasks.push_back(
            {.directory = remoteDirectory(run.directory), .command = trainerCommand(run.config, run.directory, false)});
        resources.add(run.config, slurmMinutes(run.config, run.predicted));
    }
    std::vector<std::string> sbatch{
        "sbatch", "--comment=" + tokenOf(tasks.front()), "--chdir=" + tasks.front().directory.string()};
    const std::vector<std::string> options = sbatchOptions(resources, tasks.size(), this->options());
    sbatch.insert(sbatch.end(), options.begin(), options.end());
    planned.push_back({.what = "submit this batch script",
        .command = shell().shown(shellQuoted(sbatch)) + " <<'END'\n" + slurmBatchScript(tasks) + "END",
        .exact = shell().shownRun(submitScript, submitArguments(tasks, options))});
    return planned;
}

Result<std::string> SlurmHost::submit(
    const std::vector<StartRequest> &tasks, const JobResources &resources, bool &already)
{
    const Result<ChildResult> said =
        runWithRetry(submitScript, submitArguments(tasks, sbatchOptions(resources, tasks.size(), options())));
    if (!said)
        return said.error();
    const std::string problem(trimmed(said->err));
    constexpr int kRefused = 5;
    if (said->exitStatus == kRefused && problem.find("Unable to contact") == std::string::npos &&
        problem.find("timed out") == std::string::npos) {
        std::vector<std::string> arguments{std::to_string(tasks.front().attempt)};
        for (const StartRequest &task : tasks)
            arguments.push_back(task.directory.string());
        (void)shell().run(forgetAttemptScript, arguments, std::chrono::seconds(30));
        return Error{.what = "Slurm refused the job: " + problem,
            .where = name(),
            .accepted = "what the partitions allow (see sinfo); --sbatch OPTION changes the request"};
    }
    if (said->exitStatus != 0)
        return Error{
            .what = "Slurm's controller did not confirm: " + problem, .where = name(), .fault = Fault::Outside};
    const std::vector<std::string_view> words = split(trimmed(said->out), ' ');
    if (words.size() < 2 || !isJobId(words.back()))
        return Error{.what = "did not report which job it created: " + shownLine(trimmed(said->out)),
            .where = name(),
            .fault = Fault::Outside};
    already = words[words.size() - 2].ends_with("already");
    m_asked.clear();
    return std::string(words.back());
}

Result<Started> SlurmHost::startOnHost(const StartRequest &request, const fs::path &copy)
{
    const Result<RunConfig> config = readRunConfig(RunPaths{copy}.config());
    if (!config)
        return config.error();
    bool already = false;
    JobResources resources;
    resources.add(*config, slurmMinutes(*config, predictedSeconds(copy)));
    const Result<std::string> job = submit({request}, resources, already);
    if (!job)
        return job.error();
    return Started{.processGroup = 0, .already = already, .job = *job};
}

Result<std::vector<Started>> SlurmHost::startAll(const std::vector<StartRequest> &requests)
{
    if (requests.size() < 2)
        return Host::startAll(requests);
    std::vector<StartRequest> tasks = requests;
    JobResources resources;
    for (StartRequest &task : tasks) {
        const Result<RunConfig> config = readRunConfig(RunPaths{task.directory}.config());
        const Result<RemoteRun> run = readRemoteRun({task.directory});
        if (!config || !run)
            return config ? run.error() : config.error();
        resources.add(*config, slurmMinutes(*config, predictedSeconds(task.directory)));
        if (const Result<void> written = writeKnownStatus({task.directory},
                {.status = {.state = RunState::Queued, .exitStatus = {}, .detail = "the start was requested"},
                    .seen = utcNow()});
            !written)
            return written.error();
        task.directory = run->directory;
    }
    bool already = false;
    const Result<std::string> first = submit(tasks, resources, already);
    if (!first) {
        for (const StartRequest &request : requests) {
            if (!first.error().accepted.empty()) // the start was refused, so nothing runs
                [[maybe_unused]]
                const Result<void> written = writeKnownStatus({request.directory}, {});
        }
        return first.error();
    }
    const std::string array = first->substr(0, first->find('_'));
    std::vector<Started> started;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        started.push_back({.already = already, .job = array + "_" + std::to_string(i)});
    return started;
}

RunStatus SlurmHost::judge(const RunQueryResult &result, const KnownStatus &before)
{
    return slurmStatus(result, parseSlurmJob(result.jobRecord, result.jobProblem), before);
}

RunQuery::Job SlurmHost::jobQuery(const std::string &directory)
{
    const auto now = std::chrono::steady_clock::now();
    const auto [last, first] = m_asked.try_emplace(directory, now);
    if (!first && now - last->second < m_controllerPace)
        return RunQuery::Job::Number;
    last->second = now;
    return RunQuery::Job::Asked;
}

void SlurmHost::addChecks(const RunConfig &config, const HostFacts &facts, Preflight &preflight)
{
    const std::string partition = optionValue(options(), "partition", 'p');
    preflight.checks.push_back(partitionCheck(facts, config, partition));
    if (const std::optional<PreflightCheck> nodes = nodesCheck(config))
        preflight.checks.push_back(*nodes);
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue || !wantsGpus(config, *catalogue) || facts.nodes.empty())
        return;
    preflight.checks.push_back(slurmGpuCheck(facts, config, partition));
    preflight.checks.push_back(slurmPlanCheck(facts, config, partition, *catalogue));
}

Result<void> SlurmHost::requestStop(const RunPaths &paths)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    m_asked.clear();
    const Result<std::string> sent = ask(signalJobScript, {run->directory, "stop", utcNow()}, run->directory);
    return sent ? Result<void>() : Result<void>(sent.error());
}

Result<void> SlurmHost::signalGroup(const RunPaths &paths, int signalNumber)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    m_asked.clear();
    const Result<std::string> sent =
        ask(signalJobScript, {run->directory, signalNumber == SIGKILL ? "KILL" : "TERM"}, run->directory);
    return sent ? Result<void>() : Result<void>(sent.error());
}

} // namespace slipway
