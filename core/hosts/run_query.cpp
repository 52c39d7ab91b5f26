// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/run_query.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "hosts/host_probe.h"
#include "hosts/host_text.h"

namespace slipway {

namespace {

constexpr std::chrono::seconds kQueryLimit{60};
constexpr Bytes kMostQueriedBytes = 4 * kMiB, kLeastBytes = 256 * kKiB; // per query and file
constexpr Bytes kLargestQueryAnswer = 64 * kMiB;
constexpr std::size_t kLongestSaying = 16'384;

// For each run, the processes are read first, then rc, then the files. If a run ends in between, it is reported as
// ended, and the files contain everything that it wrote before. A job that is missing in the user's own queue is looked
// up by its number before it counts as forgotten.
const char *const queryScript = R"script(
limit=$1 whole_queue=$2
shift 2
say() { printf '%s=%s\0' "$1" "$2"; }
word() { if [ -f "$2" ]; then say "$1" "$(head -c 4096 -- "$2")"; fi; }
process() {
    pid=$(head -c 20 -- "$2" 2> /dev/null | head -n 1 | cut -d ' ' -f 1)
    case $pid in '' | *[!0-9]*) ;; *) say "$1" "$(cat "/proc/$pid/stat" 2> /dev/null)" ;; esac
}
ask_controller() {
    if [ -n "$queue_problem" ]; then say job_problem "$queue_problem"; return; fi
    said=$(printf '%s\n' "$queue" | grep -m 1 "^JobId=$1 ") && { say job_says "$said"; return; }
    if said=$(timeout 8 scontrol -o show job "$1" 2>&1); then
        say job_says "$said"
    else
        say job_problem "${said:-no answer within 8 s}"
    fi
}
# A job whose number was not noted is looked for by the comment that its submission gave it.
find_job() {
    token=$(head -c 200 "attempts/$last/token" 2> /dev/null)
    if [ -z "$token" ]; then say job_sought yes; return; fi
    if ! known=$(timeout 8 squeue -h -t all -u "$(id -un)" -o '%F %k' 2>&1); then
        say job_problem "${known:-no answer within 8 s}"
        return
    fi
    number=$(printf '%s\n' "$known" | awk -v token="$token" '$2 == token { print $1; exit }')
    if [ -n "$number" ]; then
        number=$number$(head -c 20 "attempts/$last/task" 2> /dev/null)
    else
        say job_sought yes
    fi
}
job() {
    number=$(head -c 100 "attempts/$last/job" 2> /dev/null)
    [ -n "$number" ] || number=$(head -c 100 "attempts/$last/running/job" 2> /dev/null)
    if [ -z "$number" ] && [ -n "$last" ] && [ "$1" = asked ]; then find_job; fi
    say job "$number"
    case $number in '' | *[!0-9_]*) ;; *) if [ "$1" = asked ]; then ask_controller "$number"; fi ;; esac
}
printf '\0'
say time "$(date +%s.%N)"
say here_host "$(uname -n)"
say here_boot "$(cat /proc/sys/kernel/random/boot_id)"
queue= queue_problem=
columns='JobId=%i JobState=%T StartTime=%S Reason=%r'
if [ "$whole_queue" = yes ] && ! queue=$(timeout 8 squeue -h -r -t all -u "$(id -un)" -o "$columns" 2>&1); then
    queue_problem=${queue:-no answer within 8 s}
fi
while [ $# -gt 2 ]; do
    say run "$1"
    directory=$1 job=$2 files=$3
    shift 3
    if cd -- "$directory" 2> /dev/null; then
        say there yes
        last=$(ls attempts 2> /dev/null | grep -x '[0-9]*' | sort -n | tail -n 1)
        if [ -n "$last" ]; then say attempt_age $(($(date +%s) - $(stat -c %Y -- "attempts/$last"))); fi
        mark=.
        if [ ! -s pgid ] && [ -n "$last" ] && [ -s "attempts/$last/pgid" ]; then mark=attempts/$last; fi
        word pgid "$mark/pgid"
        word starttime "$mark/starttime"
        word boot_id "$mark/boot_id"
        word host "$mark/host"
        word supervisor "$mark/supervisor"
        process group_stat "$mark/pgid"
        process supervisor_stat "$mark/supervisor"
        if [ -e stop.request ]; then say stop yes; fi
        if [ -e metrics.jsonl ]; then say metrics yes; fi
        if [ "$job" != no ]; then job "$job"; fi
        word rc rc
    else
        directory=
    fi
    while [ "$files" -gt 0 ]; do
        if [ -n "$directory" ] && [ -f "$1" ]; then
            size=$(stat -L -c %s -- "$1")
            count=$((size - $2))
            from=$2
            if [ "$count" -lt 0 ]; then from=0 count=$size; fi
            if [ "$count" -gt "$limit" ]; then count=$limit; fi
            say file "$size $from $count $1"
            tail -c "+$((from + 1))" -- "$1" | head -c "$count"
            printf '\0'
        fi
        files=$((files - 1))
        shift 2
    done
done
say time_end "$(date +%s.%N)"
say end ''
)script";

// Returns the word if it has only characters of a name or a number; otherwise an empty text.
std::string plainWord(const std::string &word) { return isPlainFileName(word) ? word : std::string(); }

struct QueryReader {
    struct Marked {
        RunQueryResult result;
        ProcessIdentity process;
        std::string supervisor, groupStat, supervisorStat;
    };
    std::vector<Marked> runs;
    LocalMachine machine;
    std::optional<double> timeBegin, timeEnd;
    bool ended = false;

    // Returns the number of bytes that follow the record and belong to it.
    std::size_t take(const std::string &key, const std::string &value, std::string_view rest)
    {
        const std::string word(trimmed(value));
        if (key == "time")
            timeBegin = parseNumber(value);
        else if (key == "time_end")
            timeEnd = parseNumber(value);
        else if (key == "here_host")
            machine.hostName = plainWord(word);
        else if (key == "here_boot")
            machine.bootId = plainWord(word);
        else if (key == "end")
            ended = true;
        else if (key == "run")
            runs.emplace_back();
        else if (!runs.empty())
            return takeOfRun(runs.back(), key, value, word, rest);
        return 0;
    }
    static std::size_t takeOfRun(
        Marked &run, const std::string &key, const std::string &value, const std::string &word, std::string_view rest)
    {
        RunQueryResult &result = run.result;
        RunFacts &facts = result.facts;
        if (key == "there")
            result.directoryExists = true;
        else if (key == "pgid")
            run.process.processGroup = parseInteger(word).value_or(0);
        else if (key == "starttime")
            run.process.startTime = plainWord(word);
        else if (key == "boot_id")
            run.process.bootId = plainWord(word);
        else if (key == "host")
            run.process.hostName = plainWord(word);
        else if (key == "supervisor")
            run.supervisor = word;
        else if (key == "group_stat")
            run.groupStat = value;
        else if (key == "supervisor_stat")
            run.supervisorStat = value;
        else if (key == "attempt_age")
            facts.attemptAge = static_cast<Seconds>(parseInteger(word).value_or(0));
        else if (key == "stop")
            facts.stopRequested = true;
        else if (key == "metrics")
            facts.hasMetrics = true;
        else if (key == "rc")
            rc(facts, word);
        else if (key == "job")
            result.job = isJobId(word) ? word : std::string();
        else if (key == "job_sought")
            result.jobNotFound = true;
        else if (key == "job_says")
            result.jobRecord = shownLine(word, kLongestSaying);
        else if (key == "job_problem")
            result.jobProblem = shownLine(word);
        else if (key == "file")
            return file(result, value, rest);
        return 0;
    }
    static void rc(RunFacts &facts, const std::string &word)
    {
        if (const std::optional<std::int64_t> status = parseInteger(word); status && *status >= 0 && *status <= 255)
            facts.exitStatus = static_cast<int>(*status);
    }
    static std::size_t file(RunQueryResult &result, const std::string &value, std::string_view rest)
    {
        const std::vector<std::string_view> fields = split(value, ' ');
        const auto number = [&](std::size_t i) {
            return fields.size() > i ? parseInteger(fields[i]).value_or(-1) : -1;
        };
        const std::int64_t count = number(2);
        if (fields.size() != 4 || number(0) < 0 || number(1) < 0 || count < 0 ||
            static_cast<std::size_t>(count) >= rest.size())
            return rest.size(); // the answer is cut short, so the rest is discarded
        result.files.push_back({.name = std::string(fields[3]),
            .size = number(0),
            .from = number(1),
            .bytes = std::string(rest.substr(0, static_cast<std::size_t>(count)))});
        return static_cast<std::size_t>(count) + 1;
    }
    void settle(Marked &run, Seconds skew) const
    {
        RunFacts &facts = run.result.facts;
        facts.machine.hostName = machine.hostName;
        facts.machine.bootId = machine.bootId;
        if (run.process.processGroup > 1) {
            facts.process = run.process;
            facts.liveness = livenessFrom(run.process, facts.machine, startTimeOfStat(run.groupStat));
        }
        const std::size_t space = run.supervisor.find(' ');
        facts.supervisorAlive =
            space != std::string::npos && startTimeOfStat(run.supervisorStat) == run.supervisor.substr(space + 1);
        run.result.clockSkew = skew;
    }
};

} // namespace

Result<std::vector<RunQueryResult>> parseRunQueries(const std::string &output, Seconds now, Seconds wait)
{
    QueryReader reader;
    const std::size_t begin = output.find('\0');
    std::string_view rest =
        begin == std::string::npos ? std::string_view() : std::string_view(output).substr(begin + 1);
    while (!rest.empty() && !reader.ended) {
        const std::string record(rest.substr(0, rest.find('\0')));
        rest.remove_prefix(std::min(rest.size(), record.size() + 1));
        if (const std::size_t equals = record.find('='); equals != std::string::npos)
            rest.remove_prefix(reader.take(record.substr(0, equals), record.substr(equals + 1), rest));
    }
    if (!reader.ended)
        return Error{.what = "its answer is incomplete", .fault = Fault::Outside};
    const Seconds skew =
        reader.timeBegin && reader.timeEnd ? clockSkew(*reader.timeBegin, *reader.timeEnd, now, wait) : 0;
    std::vector<RunQueryResult> results;
    for (QueryReader::Marked &run : reader.runs) {
        reader.settle(run, skew);
        results.push_back(std::move(run.result));
    }
    return results;
}

Result<std::vector<RunQueryResult>> queryRuns(Shell &shell, const std::vector<RunQuery> &queries)
{
    const auto runs = static_cast<Bytes>(std::max<std::size_t>(queries.size(), 1));
    const auto asked = std::count_if(
        queries.begin(), queries.end(), [](const RunQuery &query) { return query.job == RunQuery::Job::Asked; });
    std::vector<std::string> arguments{
        std::to_string(std::max(kLeastBytes, kMostQueriedBytes / runs)), asked > 1 ? "yes" : "no"};
    for (const RunQuery &query : queries) {
        const char *const job = query.job == RunQuery::Job::Asked    ? "asked"
                                : query.job == RunQuery::Job::Number ? "number"
                                                                     : "no";
        arguments.insert(arguments.end(), {query.directory, job, std::to_string(query.files.size())});
        for (const auto &[name, from] : query.files)
            arguments.insert(arguments.end(), {name, std::to_string(from)});
    }
    const auto clock = [] {
        return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    };
    const Seconds before = clock();
    const Result<ChildResult> said = shell.run(queryScript, arguments, {kQueryLimit, kLargestQueryAnswer});
    if (!said)
        return said.error();
    const Seconds after = clock();
    Result<std::vector<RunQueryResult>> results = parseRunQueries(said->out, after, after - before);
    if (results && results->size() != queries.size())
        return Error{.what = "its answer is incomplete", .fault = Fault::Outside};
    return results;
}

} // namespace slipway
