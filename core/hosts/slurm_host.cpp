// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/slurm_host.h"

#include <algorithm>
#include <csignal>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "hosts/preflight.h"
#include "hosts/shell_quote.h"
#include "hosts/slurm_state.h"
#include "predict/predict.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

// A job whose reply was lost is found by its comment, or by the mark that it left when it ran; and the batch script
// itself runs an attempt once, should two have been submitted after all.
const char *const submitScript = R"script(
directory=$1 attempt=$2 token=$3 batch=$4 task=$5
shift 5
cd -- "$directory" || exit 3
mkdir -p "attempts/$attempt" || exit 3
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
    printf '%s' "$batch" > "attempts/$attempt/job.sbatch" || exit 3
    said=$(timeout 90 sbatch --comment="$token" --chdir="$(pwd)" "$@" < "attempts/$attempt/job.sbatch") || exit 5
    job=${said%%;*}
fi
job=${job%_*}$task
echo "$job" > "attempts/$attempt/job"
echo "$reply $job"
)script";

const char *const noteJobsScript = R"script(
while [ $# -gt 1 ]; do
    mkdir -p -- "$1" && echo "$2" > "$1/job" || exit 3
    shift 2
done
)script";

// Of a start that Slurm refused: no attempt was begun.
const char *const forgetAttemptScript = R"script(
cd -- "$1" && rm -rf -- "attempts/$2" && rmdir attempts 2> /dev/null
)script";

const char *const signalJobScript = R"script(
cd -- "$1" || exit 3
last=$(ls attempts | sort -n | tail -n 1)
job=$(cat "attempts/$last/job") || exit 3
case $job in '' | *[!0-9_]*) echo "attempts/$last/job is damaged" >&2; exit 3 ;; esac
if [ "$2" = stop ]; then
    if [ ! -e stop.request ]; then printf '%s\n' "$3" > stop.request.tmp && mv stop.request.tmp stop.request || exit 3; fi
    timeout 60 scancel --state=PENDING "$job"
elif [ "$2" = TERM ]; then
    timeout 60 scancel --signal=TERM --batch "$job"
else # at once, the tasks of a run on several nodes and by the batch script; then what is left, for which Slurm takes its time
    timeout 60 scancel --signal=KILL "$job.0" 2> /dev/null
    timeout 60 scancel --signal=USR2 --batch "$job" 2> /dev/null
    timeout 60 scancel "$job"
fi
)script";

std::optional<Seconds> predictedSeconds(const fs::path &directory)
{
    const Result<std::string> text = readFile(RunPaths{directory}.prediction());
    const nlohmann::json json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    if (!json.is_object())
        return std::nullopt;
    const Result<Prediction> prediction = predictionFromJson(json);
    return prediction ? std::optional(prediction->cost.hours * 3600) : std::nullopt;
}

// The same for the same attempt of the same directory, whoever asks.
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
    std::vector<std::string> arguments{first.directory.string(), std::to_string(first.attempt), tokenOf(first),
        slurmBatchScript(tasks), tasks.size() > 1 ? "_0" : ""};
    arguments.insert(arguments.end(), sbatch.begin(), sbatch.end());
    return arguments;
}

} // namespace

std::vector<std::string> SlurmHost::trainerCommand(
    const RunConfig &config, const fs::path &directory, bool resume) const
{
    const Result<NodeShape> shape = nodeShape(config.parallel);
    if (!shape || shape->nodes == 1) // which the preflight refuses, or which needs no more than a process
        return ShellHost::trainerCommand(config, directory, resume);
    std::vector<std::string> command = srunPrefix(*shape);
    command.insert(command.end(), {trainer(), "run", directoryThere(directory)});
    if (resume)
        command.emplace_back("--resume");
    return command;
}

std::vector<PlannedCommand> SlurmHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned = ShellHost::plannedCommands(runs);
    std::vector<StartRequest> tasks;
    JobDemand demand;
    for (const PlannedRun &run : runs) {
        tasks.push_back(
            {.directory = directoryThere(run.directory), .command = trainerCommand(run.config, run.directory, false)});
        demand.take(run.config, slurmMinutes(run.config, run.predicted));
    }
    std::vector<std::string> sbatch{
        "sbatch", "--comment=" + tokenOf(tasks.front()), "--chdir=" + tasks.front().directory.string()};
    const std::vector<std::string> options = sbatchOptions(demand, tasks.size(), this->options());
    sbatch.insert(sbatch.end(), options.begin(), options.end());
    planned.push_back({.what = "submit this batch script",
        .command = shell().shown(shellQuoted(sbatch)) + " <<'END'\n" + slurmBatchScript(tasks) + "END",
        .exact = shell().shownRun(submitScript, submitArguments(tasks, options))});
    return planned;
}

Result<std::string> SlurmHost::submit(const std::vector<StartRequest> &tasks, const JobDemand &demand, bool &already)
{
    const StartRequest &first = tasks.front();
    const Result<ChildResult> said =
        askTwice(submitScript, submitArguments(tasks, sbatchOptions(demand, tasks.size(), options())));
    if (!said)
        return said.error();
    const std::string problem(trimmed(said->err));
    constexpr int kRefused = 5;
    if (said->exitStatus == kRefused && problem.find("Unable to contact") == std::string::npos &&
        problem.find("timed out") == std::string::npos) {
        (void)shell().run(
            forgetAttemptScript, {first.directory.string(), std::to_string(first.attempt)}, std::chrono::seconds(30));
        return Error{.what = "Slurm refused the job: " + problem,
            .where = name(),
            .accepted = "what its partitions allow; see sinfo, and --sbatch OPTION"};
    }
    if (said->exitStatus != 0)
        return Error{
            .what = "Slurm's controller did not confirm: " + problem, .where = name(), .fault = Fault::Outside};
    const std::vector<std::string_view> words = split(trimmed(said->out), ' ');
    if (words.size() < 2 || !parseInteger(words.back().substr(0, words.back().find('_'))))
        return Error{.what = "did not say which job it made: " + std::string(trimmed(said->out)),
            .where = name(),
            .fault = Fault::Outside};
    already = words[words.size() - 2].ends_with("already");
    m_asked.clear();
    return std::string(words.back());
}

Result<Started> SlurmHost::startThere(const StartRequest &request, const fs::path &copy)
{
    const Result<RunConfig> config = readRunConfig(RunPaths{copy}.config());
    if (!config)
        return config.error();
    bool already = false;
    JobDemand demand;
    demand.take(*config, slurmMinutes(*config, predictedSeconds(copy)));
    const Result<std::string> job = submit({request}, demand, already);
    if (!job)
        return job.error();
    return Started{.processGroup = 0, .already = already, .job = *job};
}

Result<std::vector<Started>> SlurmHost::startAll(const std::vector<StartRequest> &requests)
{
    if (requests.size() < 2)
        return Host::startAll(requests);
    std::vector<StartRequest> tasks = requests;
    JobDemand demand;
    for (StartRequest &task : tasks) {
        const Result<RunConfig> config = readRunConfig(RunPaths{task.directory}.config());
        const Result<RemoteRun> run = readRemoteRun({task.directory});
        if (!config || !run)
            return config ? run.error() : config.error();
        demand.take(*config, slurmMinutes(*config, predictedSeconds(task.directory)));
        if (const Result<void> written = writeKnownStanding({task.directory},
                {.standing = {.state = RunState::Queued, .exitStatus = {}, .detail = "its start was asked for"},
                    .seen = utcNow()});
            !written)
            return written.error();
        task.directory = run->directory;
    }
    bool already = false;
    const Result<std::string> first = submit(tasks, demand, already);
    if (!first) {
        for (const StartRequest &request : requests) {
            if (!first.error().accepted.empty()) // refused, so nothing runs
                [[maybe_unused]]
                const Result<void> written = writeKnownStanding({request.directory}, {});
        }
        return first.error();
    }
    const std::string array = first->substr(0, first->find('_'));
    std::vector<Started> started;
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        started.push_back({.already = already, .job = array + "_" + std::to_string(i)});
        notes.insert(notes.end(),
            {tasks[i].directory.string() + "/attempts/" + std::to_string(tasks[i].attempt), started.back().job});
    }
    // Each task notes its number itself when it runs: a note that is lost only leaves it without one until then.
    [[maybe_unused]] const Result<ChildResult> noted = askTwice(noteJobsScript, notes);
    return started;
}

RunStanding SlurmHost::judge(const RunLook &look, const KnownStanding &before) const
{
    return slurmStanding(look, parseSlurmJob(look.jobSays, look.jobProblem), before);
}

LookOrder::Job SlurmHost::jobQuestion(const std::string &directory)
{
    const auto now = std::chrono::steady_clock::now();
    const auto [last, first] = m_asked.try_emplace(directory, now);
    if (!first && now - last->second < m_controllerPace)
        return LookOrder::Job::Number;
    last->second = now;
    return LookOrder::Job::Asked;
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
        ask(signalJobScript, {run->directory, signalNumber == SIGTERM ? "TERM" : "KILL"}, run->directory);
    return sent ? Result<void>() : Result<void>(sent.error());
}

} // namespace slipway
