// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/run_look.h"

#include <chrono>

#include "base/text.h"
#include "hosts/host_probe.h"

namespace slipway {

namespace {

constexpr std::chrono::seconds kLookLimit{60};

// Processes first, then rc, then the files: a run that ends in between is found ended, and what it wrote before is in.
const char *const lookScript = R"script(
directory=$1 limit=$2 job=$3
shift 3
say() { printf '%s=%s\0' "$1" "$2"; }
word() { if [ -f "$2" ]; then say "$1" "$(head -c 4096 -- "$2")"; fi; }
process() {
    pid=$(head -c 20 -- "$2" 2> /dev/null | head -n 1 | cut -d ' ' -f 1)
    case $pid in '' | *[!0-9]*) ;; *) say "$1" "$(cat "/proc/$pid/stat" 2> /dev/null)" ;; esac
}
printf '\0'
say time "$(date +%s.%N)"
if cd -- "$directory" 2> /dev/null; then
    say there yes
    say here_host "$(uname -n)"
    say here_boot "$(cat /proc/sys/kernel/random/boot_id)"
    word pgid pgid
    word starttime starttime
    word boot_id boot_id
    word host host
    word supervisor supervisor
    process group_stat pgid
    process supervisor_stat supervisor
    if [ -e attempts ]; then say attempts yes; fi
    if [ -e stop.request ]; then say stop yes; fi
    if [ -e metrics.jsonl ]; then say metrics yes; fi
    if [ "$job" = yes ]; then
        last=$(ls attempts 2> /dev/null | sort -n | tail -n 1)
        number=$(head -c 100 "attempts/$last/job" 2> /dev/null)
        say job "$number"
        if [ -n "$number" ]; then
            if said=$(timeout 8 scontrol -o show job "$number" 2>&1); then say job_says "$said"; else say job_problem "${said:-no answer within 8 s}"; fi
        fi
    elif [ "$job" = noted ]; then
        last=$(ls attempts 2> /dev/null | sort -n | tail -n 1)
        say job "$(head -c 100 "attempts/$last/job" 2> /dev/null)"
    fi
    word rc rc
    while [ $# -gt 1 ]; do
        if [ -f "$1" ]; then
            size=$(stat -L -c %s -- "$1")
            count=$((size - $2))
            from=$2
            if [ "$count" -lt 0 ]; then from=0 count=$size; fi
            if [ "$count" -gt "$limit" ]; then count=$limit; fi
            say file "$size $from $count $1"
            tail -c "+$((from + 1))" -- "$1" | head -c "$count"
            printf '\0'
        fi
        shift 2
    done
fi
say time_end "$(date +%s.%N)"
say end ''
)script";

struct LookReader {
    RunLook look;
    ProcessMark mark;
    std::string supervisor, groupStat, supervisorStat;
    std::optional<double> timeBegin, timeEnd;
    bool ended = false;

    // Bytes that follow the record, beside its own.
    std::size_t take(const std::string &key, const std::string &value, std::string_view rest)
    {
        const std::string word(trimmed(value));
        RunTraces &traces = look.traces;
        if (key == "time") timeBegin = parseNumber(value);
        else if (key == "time_end") timeEnd = parseNumber(value);
        else if (key == "there") look.directoryThere = true;
        else if (key == "here_host") traces.machine.hostName = word;
        else if (key == "here_boot") traces.machine.bootId = word;
        else if (key == "pgid") mark.processGroup = parseInteger(word).value_or(0);
        else if (key == "starttime") mark.startTime = word;
        else if (key == "boot_id") mark.bootId = word;
        else if (key == "host") mark.hostName = word;
        else if (key == "supervisor") supervisor = word;
        else if (key == "group_stat") groupStat = value;
        else if (key == "supervisor_stat") supervisorStat = value;
        else if (key == "attempts") traces.startAsked = true;
        else if (key == "stop") traces.stopRequested = true;
        else if (key == "metrics") traces.hasMetrics = true;
        else if (key == "rc") rc(word);
        else if (key == "job") look.job = word;
        else if (key == "job_says") look.jobSays = word;
        else if (key == "job_problem") look.jobProblem = word;
        else if (key == "end") ended = true;
        else if (key == "file") return file(value, rest);
        return 0;
    }
    void rc(const std::string &word)
    {
        if (const std::optional<std::int64_t> status = parseInteger(word))
            look.traces.exitStatus = static_cast<int>(*status);
    }
    std::size_t file(const std::string &value, std::string_view rest)
    {
        const std::vector<std::string_view> fields = split(value, ' ');
        const auto number = [&](std::size_t i) { return fields.size() > i ? parseInteger(fields[i]).value_or(-1) : -1; };
        const std::int64_t count = number(2);
        if (fields.size() != 4 || number(0) < 0 || number(1) < 0 || count < 0 || static_cast<std::size_t>(count) >= rest.size())
            return rest.size(); // cut short: nothing of the answer counts
        look.files.push_back({.name = std::string(fields[3]), .size = number(0), .from = number(1), .bytes = std::string(rest.substr(0, static_cast<std::size_t>(count)))});
        return static_cast<std::size_t>(count) + 1;
    }
    void settle(Seconds now, Seconds wait)
    {
        RunTraces &traces = look.traces;
        if (mark.processGroup > 1) {
            traces.mark = mark;
            traces.liveness = livenessFrom(mark, traces.machine, startTimeOfStat(groupStat));
        }
        const std::size_t space = supervisor.find(' ');
        traces.supervisorAlive = space != std::string::npos && startTimeOfStat(supervisorStat) == supervisor.substr(space + 1);
        look.clockSkew = timeBegin && timeEnd ? clockSkew(*timeBegin, *timeEnd, now, wait) : 0;
    }
};

} // namespace

Result<RunLook> parseLook(const std::string &output, Seconds now, Seconds wait)
{
    LookReader reader;
    const std::size_t begin = output.find('\0');
    std::string_view rest = begin == std::string::npos ? std::string_view() : std::string_view(output).substr(begin + 1);
    while (!rest.empty() && !reader.ended) {
        const std::string record(rest.substr(0, rest.find('\0')));
        rest.remove_prefix(std::min(rest.size(), record.size() + 1));
        if (const std::size_t equals = record.find('='); equals != std::string::npos)
            rest.remove_prefix(reader.take(record.substr(0, equals), record.substr(equals + 1), rest));
    }
    if (!reader.ended)
        return Error{.what = "its answer is cut short", .fault = Fault::Outside};
    reader.settle(now, wait);
    return std::move(reader.look);
}

Result<RunLook> lookAtRun(Shell &shell, const LookOrder &order)
{
    std::vector<std::string> arguments{order.directory, std::to_string(order.limit), order.job};
    for (const auto &[name, from] : order.files)
        arguments.insert(arguments.end(), {name, std::to_string(from)});
    const auto clock = [] { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); };
    const Seconds before = clock();
    const Result<ChildResult> said = shell.run(lookScript, arguments, kLookLimit);
    if (!said)
        return said.error();
    const Seconds after = clock();
    return parseLook(said->out, after, after - before);
}

} // namespace slipway
