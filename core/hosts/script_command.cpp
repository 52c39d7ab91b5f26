// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/script_command.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "frameworks/command_arguments.h"
#include "hosts/shell_quote.h"

namespace slipway {

const char *const newestMetricsFunction = R"script(
newest_metrics() {
    top=$1
    shift
    for name in 'events.out.tfevents.*' '*.wandb' metrics.csv trainer_state.json; do
        found=$(find -L "$top" -maxdepth 4 -type f -name "$name" "$@" -printf '%T@ %p\n' 2> /dev/null | sort -n |
            tail -n 1 | cut -d ' ' -f 2-)
        if [ -n "$found" ]; then
            printf '%s' "$found"
            return
        fi
    done
}
)script";

namespace {

// Runs in the run's directory, as the leader of the run's process group. A signal to the group reaches the command. The
// runner itself only notes it, so that it can return the command's exit status. The command's processes carry a mark in
// their environment. By this mark, the supervisor finds those that have left the group, such as torchrun's workers.
//
// script.times gets a line whenever the log has grown. With it, readers can tell the time of every line, however late
// they read. The clock runs within one file and one second. nvidia-smi is asked every 10 s if it is installed. The
// script may rewrite its own log file, which is detected from its bytes. In a folder, the newest file with metrics is
// the log. A log may be overwritten before it was read. A copy is therefore kept next to it, and appended to
// script.kept when the log is rewritten. A trainer_state.json contains all earlier steps and is not copied.
constexpr const char *scriptRunner = R"script(
workdir=$1 log=$2 limit=$3 signal=$4 patience=$5 variables=$6
shift 6
directory=$(pwd) attempt=$(ls attempts | grep -x '[0-9]*' | sort -n | tail -n 1)
say() { echo "slipway: $*"; }
exec 2>&1
trap : TERM INT USR1 USR2 HUP
while [ "$variables" -gt 0 ]; do
    export "$1"
    shift
    variables=$((variables - 1))
done
[ -n "$workdir" ] || workdir=$HOME
if ! cd -- "$workdir"; then say "the folder '$workdir' cannot be entered on $(uname -n)"; exit 126; fi
if ! command -v "$1" > /dev/null; then
    say "'$1' is not a program on $(uname -n), neither in '$workdir' nor on PATH"
    exit 127
fi
followed=$directory/out.log clock=$directory/script.times began=$directory/.script.began
[ -e "$began" ] || : > "$began"
link_log() { [ "$1" = "$chosen" ] || ln -sfn -- "$1" "$directory/script.log"; }
choose_log() {
    [ -n "$log" ] || return
    chosen=$(readlink -- "$directory/script.log")
    if [ ! -d "$log" ]; then link_log "$log"; return; fi
    case $chosen in "$log" | */trainer_state.json) ;; *) if [ "$chosen" -nt "$began" ]; then return; fi ;; esac
    new=$(newest_metrics "$log" -newer "$began")
    if [ -n "$new" ]; then link_log "$new"; fi
}
if [ -n "$log" ]; then
    case $log in /*) ;; *) log=$(pwd)/$log ;; esac
    followed=$directory/script.log
fi
# Of the log's first $1 bytes: by those at both ends it is known again.
print_of() {
    some=$1
    [ "$some" -le 256 ] || some=256
    {
        head -c "$some" -- "$followed"
        tail -c "+$(($1 - some + 1))" -- "$followed" | head -c "$some"
    } 2> /dev/null | cksum | tr ' ' -
}
now() { date +%s.%N; }
mark="SLIPWAY_RUN=$directory#$attempt"
left() { grep -lsxzF -- "$mark" /proc/[0-9]*/environ | cut -d / -f 3; }
# An older driver has another name for a column, or none. nvidia-smi then ends with status 2.
clocks=,clocks.sm,clocks.max.sm,clocks_event_reasons.active
gpus() {
    case ${CUDA_VISIBLE_DEVICES-} in
    '' | *[!0-9,]*) set -- ;;
    *) set -- "--id=$CUDA_VISIBLE_DEVICES" ;;
    esac
    at=$(now)
    columns=index,utilization.gpu,power.draw,temperature.gpu,memory.used$clocks
    said=$(timeout 5 nvidia-smi "$@" --format=csv,noheader,nounits "--query-gpu=$columns" 2> /dev/null)
    if [ $? -eq 2 ] && [ -n "$clocks" ]; then
        case $clocks in
        *_event_*) clocks=,clocks.sm,clocks.max.sm,clocks_throttle_reasons.active ;;
        *_throttle_*) clocks=,clocks.sm,clocks.max.sm ;;
        *) clocks= ;;
        esac
        gpus
        return
    fi
    [ -z "$said" ] || printf '%s\n' "$said" | sed "s/^/g $at /"
}
size_of() { if [ -f "$1" ]; then stat -L -c %s -- "$1" 2> /dev/null || echo 0; else echo 0; fi; }
size() { size_of "$followed"; }
most_kept=268435456
copy_log() {
    case $(readlink -- "$followed") in */trainer_state.json) return ;; esac
    have=$(size_of "$directory/.script.copy")
    if [ "$1" -gt "$most_kept" ] || [ "$1" -lt "$have" ]; then rm -f "$directory/.script.copy"; return; fi
    tail -c "+$((have + 1))" -- "$followed" 2> /dev/null | head -c $(($1 - have)) >> "$directory/.script.copy"
}
keep_copy() {
    kept=$(size_of "$directory/script.kept")
    if [ -s "$directory/.script.copy" ] && [ $((kept + $(size_of "$directory/.script.copy"))) -le "$most_kept" ]; then
        cat "$directory/.script.copy" >> "$directory/script.kept"
    fi
    rm -f "$directory/.script.copy"
    size_of "$directory/script.kept"
}
# Says whether the script's own log was rewritten since the last check, and records its present state.
note_log() {
    [ -n "$log" ] || return
    if read -r last print 2> /dev/null < "$directory/.script.log" &&
        { [ "$1" -lt "$last" ] || [ "$(print_of "$last")" != "$print" ]; }; then
        echo "n $(now) $(keep_copy)"
    fi
    echo "$1 $(print_of "$1")" > "$directory/.script.log"
    copy_log "$1"
}
watch_log() {
    trap : TERM INT USR1 USR2 HUP
    rounds=0 begin=$(date +%s)
    smi=$(command -v nvidia-smi)
    while kill -0 $$ 2> /dev/null; do
        sleep 1
        choose_log
        time=$(now) is=$(stat -L -c '%s %i %y' -- "$followed") rounds=$((rounds + 1))
        if [ -n "$is" ] && [ "$is" != "$was" ]; then
            bytes=${is%% *}
            note_log "$bytes"
            echo "t $before $time $bytes"
        fi
        was=$is before=$time
        if [ -n "$smi" ] && [ $((rounds % 10)) -eq 1 ]; then gpus; fi
        if [ "$limit" -gt 0 ] && [ $(($(date +%s) - begin)) -ge "$limit" ]; then
            : > "$directory/attempts/$attempt/limit"
            kill -s "$signal" $(left)
            waited=0
            while [ "$waited" -lt "$patience" ] && [ -n "$(left)" ]; do sleep 1; waited=$((waited + 1)); done
            kill -s KILL $(left)
            limit=0
        fi
    done
} >> "$clock" 2> /dev/null
choose_log
# Looked at before the command starts. Else what it writes at once would be taken for what was there before.
was=$(stat -L -c '%s %i %y' -- "$followed" 2> /dev/null) before=$(now) bytes=$(size)
note_log "$bytes" >> "$clock" # of what the attempt before has left
echo "a $attempt $bytes" >> "$clock"
: > "$began"
watch_log &
watcher=$!
export "$mark" "PYTHONUNBUFFERED=${PYTHONUNBUFFERED-1}"
printf '%s' "$mark" > "$directory/attempts/$attempt/mark"
# "--flag=slipway:newest:PATTERN" stands for the newest checkpoint, or for nothing where there is none.
words=$#
while [ "$words" -gt 0 ]; do
    case $1 in
    *=slipway:newest:*)
        newest=$(IFS= && ls -dv -- ${1#*=slipway:newest:} 2> /dev/null | tail -n 1)
        if [ -n "$newest" ]; then set -- "$@" "${1%%=slipway:newest:*}=$newest"; fi
        ;;
    *) set -- "$@" "$1" ;;
    esac
    shift
    words=$((words - 1))
done
# A process that was started in the background ignores SIGINT, and a Python script then never hears of it.
if env --default-signal=INT true 2> /dev/null; then set -- env --default-signal=INT,QUIT "$@"; fi
(umask 022 && exec "$@")
status=$?
kill -s KILL "$watcher" 2> /dev/null
choose_log
end=$(now) bytes=$(size)
note_log "$bytes" >> "$clock"
awk -v end="$end" -v bytes="$bytes" '
    $1 == "t" { before = $3 }
    END { if (before < end - 1) before = end - 1; printf "t %.6f %.6f %d\n", before, end, bytes }
' "$clock" >> "$directory/.script.end" && cat "$directory/.script.end" >> "$clock"
rm -f "$directory/.script.end"
if [ -e "$directory/attempts/$attempt/limit" ]; then
    say "the time limit was reached; the command ended with status $status"
    exit 124
fi
if [ -e "$directory/stop.request" ] && [ "$status" -ne 143 ] && [ "$status" -ne 130 ] && [ "$status" -ne 137 ]; then
    say "the command received the stop signal and ended with status $status"
    exit 143
fi
exit "$status"
)script";

// Whether a shell accepts the text as a variable: the name has letters, digits and underscores.
bool isVariable(const std::string &text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || isDigit(text[0]))
        return false;
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals),
        [](char c) { return isLetterOrDigit(c) || c == '_'; });
}

bool isLine(const std::vector<std::string> &command)
{
    return command.size() == 1 && command.front().find_first_of(" \t\n") != std::string::npos;
}

} // namespace

Result<void> checkScript(const RunConfig &config)
{
    for (const std::string &variable : config.training.environment) {
        if (!isVariable(variable))
            return Error{.what = "'" + variable.substr(0, 60) + "' does not set a variable",
                .where = "--environment",
                .accepted = "NAME=VALUE, with letters, digits and underscores in the name"};
    }
    const std::vector<std::string> &command = config.training.command;
    if (command.front().find_first_not_of(" \t\n") == std::string::npos)
        return Error{.what = "is empty", .where = "--command", .accepted = "a program and its arguments"};
    return {};
}

namespace {

// A profile's "--flag={newest --output_dir=DEFAULT/checkpoint-*}": the newest checkpoint is looked for in the folder
// that this flag of the command names. Other words remain unchanged.
struct NewestRule {
    std::string flag;    // "--resume_from_checkpoint"
    std::string folder;  // "out"
    std::string pattern; // "checkpoint-*"
};
std::optional<NewestRule> newestRule(const std::string &word, const std::vector<std::string> &command)
{
    constexpr std::string_view kBegin = "={newest ";
    const std::size_t begin = word.find(kBegin), slash = word.rfind('/');
    if (begin == std::string::npos || slash == std::string::npos || !word.ends_with('}'))
        return std::nullopt;
    const std::string named = word.substr(begin + kBegin.size(), slash - begin - kBegin.size());
    const std::size_t equals = std::min(named.find('='), named.size());
    NewestRule rule{.flag = word.substr(0, begin),
        .folder = equals < named.size() ? named.substr(equals + 1) : std::string("."),
        .pattern = word.substr(slash + 1, word.size() - slash - 2)};
    const std::string flag = named.substr(std::min(named.find_first_not_of('-'), equals), equals);
    const ArgumentRule asked{.flags = {flag.substr(0, flag.find('='))}, .set = "folder", .to = {}};
    for (const ReadArgument &read : readArguments(command, {asked}))
        rule.folder = read.value;
    return rule;
}

} // namespace

std::vector<std::string> scriptWords(const RunConfig &config, const ScriptRules &rules, bool resume)
{
    std::vector<std::string> words = config.training.command;
    const std::vector<std::string> &more = rules.script.resumeArguments;
    const std::string line = words.front();
    const std::string flag = more.empty() ? std::string() : more.front().substr(0, more.front().find("={newest "));
    const bool has = !more.empty() && std::any_of(words.begin(), words.end(), [&](const std::string &word) {
        return word == flag || word.find(flag) != std::string::npos;
    });
    const bool adds = resume && !more.empty() && !has;
    if (!isLine(words)) {
        for (const std::string &word : adds ? more : std::vector<std::string>()) {
            const std::optional<NewestRule> newest = newestRule(word, config.training.command);
            words.push_back(newest ? newest->flag + "=slipway:newest:" + newest->folder + "/" + newest->pattern : word);
        }
        return words;
    }
    std::string text = line;
    for (const std::string &word : adds ? more : std::vector<std::string>()) {
        const std::optional<NewestRule> newest = newestRule(word, wordsOfLine(line));
        text += " " + (newest ? "$(ls -dv -- " + shellQuoted(newest->folder) + "/" + newest->pattern +
                                    " 2> /dev/null | tail -n 1 | sed " + shellQuoted("s|^|" + newest->flag + "=|") + ")"
                              : shellQuoted(word));
    }
    return {"/bin/sh", "-c", text};
}

std::vector<std::string> scriptCommand(
    const RunConfig &config, const ScriptRules &rules, bool resume, const std::vector<std::string> &before)
{
    const TrainingChoice &training = config.training;
    const StopRule &stop = rules.script.stop;
    std::vector<std::string> argv{"/bin/sh", "-c", std::string(newestMetricsFunction) + scriptRunner, "slipway-script",
        training.workdir, training.log, std::to_string(rules.limitSeconds), stop.signal.empty() ? "TERM" : stop.signal,
        std::to_string(stop.waitSeconds), std::to_string(training.environment.size())};
    argv.insert(argv.end(), training.environment.begin(), training.environment.end());
    argv.insert(argv.end(), before.begin(), before.end());
    const std::vector<std::string> words = scriptWords(config, rules, resume);
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

} // namespace slipway
