// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/slurm_script.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"
#include "hosts/launch_script.h"
#include "hosts/shell_quote.h"

namespace slipway {

namespace {

// A name that every scheduler and shell accepts without quotes.
std::string jobName(const std::string &name)
{
    std::string plain;
    for (const char c : name)
        plain += isLetterOrDigit(c) || c == '-' || c == '_' ? c : '-';
    return "slipway-" + plain.substr(0, 60);
}

// Slurm sends USR1 before the time limit. The trainer then ends after a checkpoint, as on TERM, and rc is 124, as with
// timeout(1). USR2 requests an immediate end. Slurm itself would send TERM and wait for the cluster's KillWait, often
// 30 s.
//
// On several nodes, srun takes the place of the trainer. On a TERM to srun, Slurm would kill its tasks. So the
// controller sends the signal to the tasks, which are step 0 of the job.
//
// Trainer and supervisor are two sessions, and rc.tmp is overwritten, as in a launch over ssh. A signal to one of them
// thus lets the other write rc. Slurm ends both with the job.
constexpr const char *kSlurmBeforeMarkedEnd = R"script(
umask 077
cd -- "$directory" || exit 3
mkdir -p "attempts/$attempt" || exit 3
part=attempts/$attempt/.running.$job.$$
mkdir "$part" && echo "$job" > "$part/job" || { rm -rf "$part"; exit 3; }
if ! mv -T "$part" "attempts/$attempt/running" 2> /dev/null; then
    rm -rf "$part"
    if [ "$(cat "attempts/$attempt/running/job")" != "$job" ]; then exit 0; fi # another job runs this attempt
fi
[ -s "attempts/$attempt/job" ] || echo "$job" > "attempts/$attempt/job"
exec >> out.log 2>> err.log < /dev/null
rm -f rc pgid
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && [ -z "$restart_said" ]; then
    case " $* " in *" --resume "*) ;; *) set -- "$@" --resume ;; esac
fi
uname -n > host && cat /proc/sys/kernel/random/boot_id > boot_id && printf '    \n' > rc.tmp || exit 3
echo "$$ $(cut -d ' ' -f 22 /proc/$$/stat)" > supervisor
limit=
tasks=
if [ "$1" = srun ]; then tasks=$SLURM_JOB_ID.0; fi
tell() {
    if [ -n "$tasks" ] && timeout 60 scancel --signal="$1" "$tasks"; then return; fi
    kill -s "$1" -- "-$(cat pgid)"
} 2> /dev/null
trap 'limit=yes; tell "$stop_signal"' USR1
trap 'tell "$stop_signal"' TERM
trap 'tell KILL' USR2
trap '' HUP
setsid sh -c '
    cut -d " " -f 22 /proc/$$/stat > starttime
    echo $$ > pgid.tmp && mv pgid.tmp pgid && exec "$@"
' run "$@" &
child=$!
status=0
while :; do
    wait "$child"
    status=$?
    kill -0 "$child" 2> /dev/null || break
done
# A signal may have ended the wait while its trap ended the child. The shell still knows how the child ended, or says
# 127 where it has said so before.
wait "$child"
again=$?
if [ "$again" -ne 127 ]; then status=$again; fi
# The workers of torchrun are sessions of their own, which not every Slurm ends with the job. They carry a mark.
asked=$limit
if [ -e stop.request ]; then asked=yes; fi
)script";

constexpr const char *kSlurmBehindMarkedEnd = R"script(
if [ -n "$limit" ] && [ "$status" -ne 0 ]; then status=124; fi
printf '%-3d\n' "$status" 1<> rc.tmp && mv rc.tmp rc
exit "$status"
)script";

} // namespace

std::string slurmBatchScript(const std::vector<StartRequest> &tasks)
{
    const bool array = tasks.size() > 1;
    std::string text = "#!/bin/sh\n# Starts the run. Its state is in the run directory.\n";
    text += array ? "job=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\ncase $SLURM_ARRAY_TASK_ID in\n"
                  : "job=$SLURM_JOB_ID\n";
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        text += array ? std::to_string(i) + ")\n" : "";
        text += "directory=" + shellQuoted(tasks[i].directory.string()) +
                " attempt=" + std::to_string(tasks[i].attempt) + " stop_signal=" + shellQuoted(tasks[i].stopSignal) +
                " restart_said=\nset -- " + shellQuoted(tasks[i].command) + "\n";
        if (!tasks[i].restartCommand.empty())
            text += "if [ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ]; then set -- " + shellQuoted(tasks[i].restartCommand) +
                    "; restart_said=yes; fi\n";
        text += array ? ";;\n" : "";
    }
    text += array ? "*) exit 2 ;;\nesac\n" : "";
    return text + kSlurmBeforeMarkedEnd + endMarkedScript + kSlurmBehindMarkedEnd;
}

void JobResources::add(const RunConfig &config, int taskMinutes)
{
    name = name.empty() ? config.training.name : name;
    shape.nodes = std::max(shape.nodes, config.parallel.nodes());
    shape.perNode = std::max(shape.perNode, ranksPerNode(config.parallel));
    gpus = gpus || requestsGpus(config);
    minutes = std::max(minutes, taskMinutes);
}

std::vector<std::string> sbatchOptions(
    const JobResources &resources, std::size_t tasks, const std::vector<std::string> &own)
{
    const int processes = resources.shape.nodes > 1 ? resources.shape.perNode : 1; // per node
    // --export=NONE: no variable of the submitting user gets into the job, secret or not. The script writes the
    // trainer's output to the run directory, because Slurm interprets % in file names.
    std::vector<std::string> options{"--parsable", "--export=NONE", "--job-name=" + jobName(resources.name),
        fmt::format("--nodes={}", resources.shape.nodes), fmt::format("--ntasks-per-node={}", processes),
        "--output=/dev/null", "--error=/dev/null", "--open-mode=append", "--requeue", "--signal=B:USR1@120",
        fmt::format("--time={}", resources.minutes)};
    if (resources.gpus)
        options.push_back(fmt::format("--gpus-per-node={}", resources.shape.perNode));
    if (tasks > 1)
        options.push_back(fmt::format("--array=0-{}", tasks - 1));
    options.insert(options.end(), own.begin(), own.end());
    return options;
}

// --export=ALL: the tasks get the variables of the job, which has none of the submitting user.
std::vector<std::string> srunPrefix(const NodeShape &shape)
{
    return {"srun", "--export=ALL", kNodeByNode, fmt::format("--nodes={}", shape.nodes),
        fmt::format("--ntasks-per-node={}", shape.perNode)};
}

int slurmMinutes(const RunConfig &config, std::optional<Seconds> predicted)
{
    const Seconds seconds = config.training.timeLimit.value_or(predicted ? *predicted * 1.5 : 3600.0);
    return static_cast<int>(
        std::clamp(std::ceil(seconds / 60), config.training.timeLimit ? 1.0 : 10.0, 60.0 * 24 * 30));
}

std::string optionValue(const std::vector<std::string> &options, const std::string &name, char letter)
{
    std::string value;
    const std::string longOption = "--" + name, shortOption = std::string("-") + letter;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i].starts_with(longOption + "="))
            value = options[i].substr(longOption.size() + 1);
        else if ((options[i] == longOption || options[i] == shortOption) && i + 1 < options.size())
            value = options[i + 1];
        else if (options[i].starts_with(shortOption) && options[i].size() > 2 && options[i][1] != '-')
            value = options[i].substr(2);
    }
    return value;
}

} // namespace slipway
