// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/host_probe.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "hosts/host_text.h"
#include "hosts/preflight.h"
#include "hosts/slurm_gres.h"

namespace slipway {

namespace {

constexpr std::chrono::seconds kProbeLimit{90};
constexpr Bytes kLargestProbeAnswer = 8 * kMiB;
constexpr std::int64_t kMostCores = 100'000, kMostCount = 1'000'000, kMostBytes = std::int64_t{1} << 62;
constexpr std::size_t kMostOfAKind = 10'000; // GPUs, processes, partitions, nodes: a longer answer is refused

const char *const probeScript = R"script(
home=$1 place=$2 needed=$3 slurm=$4 version=$5 own=$6
shift 6
say() { printf '%s=%s\0' "$1" "$2"; }
lines() { while IFS= read -r line; do say "$1" "$line"; done; }
printf '\0'
say time "$(date +%s.%N)"
if [ -z "$home" ] && [ -n "$XDG_DATA_HOME$HOME" ]; then home=${XDG_DATA_HOME:-$HOME/.local/share}/slipway; fi
[ -n "$place" ] || place=$home
say home "$home"
say host "$(uname -n)"
say user "$(id -un)"
say system "$(uname -srm)"
say cores "$(nproc 2> /dev/null || getconf _NPROCESSORS_ONLN)"
say memory_kib "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
command -v rsync > /dev/null && say rsync yes
while [ -n "$place" ] && [ ! -e "$place" ] && [ "$place" != / ] && [ "$place" != . ]; do
    place=$(dirname -- "$place")
done
if [ -z "$place" ]; then
    say disk_problem "neither XDG_DATA_HOME nor HOME is set there, so there is no folder to write to"
elif [ ! -d "$place" ]; then
    say disk_problem "$place is not a folder"
elif probe=$(mktemp "$place/.slipway-XXXXXX" 2>&1); then
    say disk_free "$(stat -f -c '%a %S' -- "$place")"
    case $(stat -f -c %T -- "$place") in tmpfs | ramfs) [ "$needed" -gt 67108864 ] && needed=67108864 ;; esac
    if [ "$needed" -lt 4096 ]; then needed=4096; fi
    if ! problem=$(fallocate -l "$needed" -- "$probe" 2>&1); then
        case $problem in
        *upported*|*"not found"*)
            problem=$(dd if=/dev/zero of="$probe" bs=65536 count=16 conv=fsync 2>&1) ||
                say disk_problem "$problem" ;;
        *) say disk_problem "$problem" ;; esac
    fi
    rm -f -- "$probe"
else
    say disk_problem "$probe"
fi
trainer=
for candidate in "$own" "$home/bundle-$version/bin/slipway-train" "$home/bundle/bin/slipway-train" \
    "$(command -v slipway-train)" "$HOME/.local/bin/slipway-train" /opt/slipway/bin/slipway-train; do
    if [ -z "$trainer" ] && [ -x "$candidate" ] && [ ! -d "$candidate" ]; then trainer=$candidate; fi
done
if [ -z "$trainer" ]; then # where only a login sets PATH
    trainer=$(timeout 10 "${SHELL:-/bin/sh}" -lc 'command -v slipway-train' 2> /dev/null < /dev/null | tail -n 1)
    [ -x "$trainer" ] || trainer=
fi
if [ -n "$trainer" ]; then
    say trainer "$trainer"
    said=$(timeout 60 "$trainer" --version 2>&1 < /dev/null)
    say trainer_status $?
    say trainer_says "$said"
fi
if command -v nvidia-smi > /dev/null; then
    columns=uuid,index,memory.total,memory.used,utilization.gpu,power.draw,temperature.gpu,driver_version,name
    timeout 30 nvidia-smi --query-gpu="$columns" --format=csv,noheader,nounits 2> /dev/null | lines gpu
    columns=gpu_uuid,pid,used_memory,process_name
    timeout 30 nvidia-smi --query-compute-apps="$columns" --format=csv,noheader,nounits 2> /dev/null |
    while IFS= read -r line; do
        pid=$(printf '%s\n' "$line" | cut -d , -f 2 | tr -d ' ')
        say process "$(ps -o user:64= -p "$pid" 2> /dev/null | tr -d ' '),$line"
    done
fi
if [ "$slurm" = yes ] && ! said=$(timeout 30 sinfo -h -o '%P|%G|%D|%T|%l' 2>&1); then
    say slurm_problem "${said:-sinfo gives no answer within 30 s}"
elif [ "$slurm" = yes ]; then
    printf '%s\n' "$said" | grep '|.*|.*|.*|' | lines partition
    timeout 30 scontrol -d -o show node 2> /dev/null | awk '{
        split("", value)
        for (i = 1; i <= NF; i++) if (at = index($i, "=")) value[substr($i, 1, at - 1)] = substr($i, at + 1)
        print value["NodeName"] "|" value["Partitions"] "|" value["State"] "|" value["Gres"] "|" value["GresUsed"]
    }' | lines node
    timeout 30 scontrol -d -o show job 2> /dev/null | awk '/ JobState=RUNNING / {
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^UserId=/) user = substr($i, 8)
            if ($i ~ /^Nodes=/) nodes = substr($i, 7)
            if ($i ~ /^GRES=gpu/) { sub(/\(.*/, "", user); print user "|" nodes "|" substr($i, 6) }
        }
    }' | lines use
fi
for file in "$@"; do
    if [ -r "$file" ] && [ -f "$file" ]; then say file "$(stat -L -c %s -- "$file")"; else say file -; fi
done
say time_end "$(date +%s.%N)"
say end ''
)script";

std::vector<std::string> fieldsOf(std::string_view text, char separator, std::size_t count)
{
    std::vector<std::string> fields; // the last one takes the rest, including separators
    while (fields.size() + 1 < count) {
        const std::size_t end = text.find(separator);
        if (end == std::string_view::npos)
            break;
        fields.emplace_back(trimmed(text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
    fields.emplace_back(trimmed(text));
    fields.resize(count);
    return fields;
}

std::optional<Bytes> mebibytes(const std::string &text)
{
    const std::optional<double> number = parseNumber(text);
    return number && *number >= 0 && *number < 1e9
               ? std::optional(static_cast<Bytes>(*number * static_cast<double>(kMiB)))
               : std::nullopt;
}

// Returns COUNT units in bytes. Empty if it is no count, or if the result overflows.
std::optional<Bytes> bytesOf(std::string_view count, Bytes unit)
{
    const std::optional<std::int64_t> number = parseInteger(count);
    Bytes bytes = 0;
    if (!number || *number < 0 || unit < 0 || __builtin_mul_overflow(*number, unit, &bytes))
        return std::nullopt;
    return bytes;
}

// Reads "1-02:03:04", "02:03:04", "30:00" or "infinite".
std::optional<Seconds> slurmTime(const std::string &text)
{
    const std::size_t dash = text.find('-');
    Seconds seconds = 0;
    for (const std::string_view part :
        split(std::string_view(text).substr(dash == std::string::npos ? 0 : dash + 1), ':')) {
        const std::optional<std::int64_t> number = parseInteger(part);
        if (!number)
            return std::nullopt;
        seconds = seconds * 60 + static_cast<double>(*number);
    }
    if (dash != std::string::npos)
        seconds += 86400.0 * static_cast<double>(parseInteger(text.substr(0, dash)).value_or(0));
    return seconds;
}

struct ProbeReader {
    HostProbeResult answer;
    std::vector<std::string> uuids;
    std::vector<std::pair<std::string, GpuProcess>> processes;
    std::optional<double> timeBegin, timeEnd;
    int trainerStatus = 0;
    std::string trainerSays;
    bool ended = false;

    void gpu(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, ',', 9);
        HostGpu gpu{.index = static_cast<int>(number(f[1], 0, kMostCount)),
            .name = f[8],
            .memory = mebibytes(f[2]).value_or(0),
            .used = mebibytes(f[3]).value_or(0),
            .utilisation = parseNumber(f[4]),
            .powerWatts = parseNumber(f[5]),
            .temperatureC = parseNumber(f[6]),
            .processes = {}};
        uuids.push_back(f[0]);
        answer.facts.driver = f[7];
        answer.facts.gpus.push_back(std::move(gpu));
    }
    void process(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, ',', 5);
        processes.emplace_back(f[1],
            GpuProcess{.pid = parseInteger(f[2]).value_or(0), .user = f[0], .name = f[4], .used = mebibytes(f[3])});
    }
    void partition(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, '|', 5);
        SlurmPartition partition{.name = f[0],
            .gres = f[1] == "(null)" ? "" : f[1],
            .nodes = static_cast<int>(number(f[2], 0, kMostCount)),
            .state = f[3],
            .timeLimit = slurmTime(f[4])};
        partition.isDefault = partition.name.ends_with('*');
        if (partition.isDefault)
            partition.name.pop_back();
        answer.facts.partitions.push_back(std::move(partition));
    }
    void node(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, '|', 5);
        answer.facts.nodes.push_back({.name = f[0],
            .partitions = f[1],
            .state = f[2],
            .gpuType = gresType(f[3]),
            .gpus = gresCount(f[3]),
            .gpusUsed = gresCount(f[4])});
    }
    void use(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, '|', 3);
        answer.facts.uses.push_back({.user = f[0], .nodes = f[1], .gpus = gresCount(f[2])});
    }
    // Returns the number that the host reported, or `least` if it is outside the range.
    static std::int64_t number(const std::string &text, std::int64_t least, std::int64_t most)
    {
        const std::int64_t said = parseInteger(text).value_or(least);
        return said < least || said > most ? least : said;
    }
    void take(const std::string &key, const std::string &said)
    {
        HostFacts &facts = answer.facts;
        const std::string value = key == "home" || key == "trainer" ? said : shownText(said);
        if (key == "time")
            timeBegin = parseNumber(value);
        else if (key == "time_end")
            timeEnd = parseNumber(value);
        else if (key == "home")
            facts.home = value;
        else if (key == "host")
            facts.hostName = value;
        else if (key == "user")
            facts.user = value;
        else if (key == "system")
            facts.system = value;
        else if (key == "cores")
            facts.cores = static_cast<int>(number(value, 0, kMostCores));
        else if (key == "memory_kib")
            facts.memory = bytesOf(value, kKiB).value_or(0);
        else if (key == "rsync")
            facts.hasRsync = true;
        else if (key == "disk_problem")
            facts.diskProblem = std::string(trimmed(value));
        else if (key == "disk_free")
            diskFree(value);
        else if (key == "trainer")
            facts.trainer = isRemotePath(value) ? value : std::string();
        else if (key == "trainer_status")
            trainerStatus = parseInteger(value) == 0 ? 0 : static_cast<int>(number(value, 1, 255));
        else if (key == "trainer_says")
            trainerSays = value;
        else if (key == "gpu")
            gpu(value);
        else if (key == "process")
            process(value);
        else if (key == "partition")
            partition(value);
        else if (key == "slurm_problem")
            facts.slurmProblem = std::string(trimmed(value));
        else if (key == "node")
            node(value);
        else if (key == "use")
            use(value);
        else if (key == "file")
            answer.fileSizes.push_back(
                parseInteger(value) ? std::optional(number(value, 0, kMostBytes)) : std::nullopt);
        else if (key == "end")
            ended = true;
    }
    void diskFree(const std::string &value)
    {
        const std::vector<std::string> f = fieldsOf(value, ' ', 2);
        answer.facts.diskFree = bytesOf(f[0], parseInteger(f[1]).value_or(0)).value_or(0);
    }
    [[nodiscard]] std::size_t most() const
    {
        const HostFacts &facts = answer.facts;
        return std::max({facts.gpus.size(), processes.size(), facts.partitions.size(), facts.nodes.size(),
            facts.uses.size(), answer.fileSizes.size()});
    }
    [[nodiscard]] bool homeIsPath() const { return answer.facts.home.empty() || isRemotePath(answer.facts.home); }
    void settle(Seconds now, Seconds wait)
    {
        HostFacts &facts = answer.facts;
        for (auto &[uuid, process] : processes) {
            process.ours = !process.user.empty() && process.user == facts.user;
            const auto found = std::find(uuids.begin(), uuids.end(), uuid);
            if (found != uuids.end())
                facts.gpus[static_cast<std::size_t>(found - uuids.begin())].processes.push_back(process);
        }
        // "slipway-train 0.1.0"
        const std::vector<std::string> words = fieldsOf(trainerSays, ' ', 2);
        if (trainerStatus == 0 && words[0] == "slipway-train" && words[1].find_first_of(" \n") == std::string::npos)
            facts.trainerVersion = words[1];
        else
            facts.trainerProblem = trainerSays.empty() && !facts.trainer.empty()
                                       ? "ends with status " + std::to_string(trainerStatus)
                                       : trainerSays;
        facts.clockSkew = timeBegin && timeEnd ? clockSkew(*timeBegin, *timeEnd, now, wait) : 0;
    }
};

Seconds clockNow()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

Seconds clockSkew(Seconds begin, Seconds end, Seconds now, Seconds wait)
{
    const Seconds least = end - now, most = begin - (now - wait); // the host read its clock twice while we waited
    const Seconds skew = least > 0 ? least : most < 0 ? most : 0;
    constexpr Seconds kMost = 1e9; // about 30 years; a larger value is not a clock
    return std::abs(skew) < kMost ? skew : 0;
}

Result<HostProbeResult> parseProbe(const std::string &output, Seconds now, Seconds wait)
{
    ProbeReader reader;
    const std::size_t begin = output.find('\0');
    std::string_view rest =
        begin == std::string::npos ? std::string_view() : std::string_view(output).substr(begin + 1);
    while (!rest.empty()) {
        const std::string_view record = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), record.size() + 1));
        if (const std::size_t equals = record.find('='); equals != std::string_view::npos)
            reader.take(std::string(record.substr(0, equals)), std::string(record.substr(equals + 1)));
        if (reader.most() > kMostOfAKind)
            return Error{.what = fmt::format("its answer lists more than {} entries of one kind", kMostOfAKind),
                .fault = Fault::Outside};
    }
    if (!reader.ended)
        return Error{.what = "its answer is incomplete, or is not that of a POSIX shell", .fault = Fault::Outside};
    if (!reader.homeIsPath())
        return Error{.what = "reports '" + shownLine(reader.answer.facts.home) + "' as its folder for Slipway",
            .accepted = "an absolute path without control characters",
            .fault = Fault::Outside};
    reader.settle(now, wait);
    return std::move(reader.answer);
}

Result<HostProbeResult> probeHost(Shell &shell, const HostProbeRequest &request)
{
    std::vector<std::string> arguments{request.home, request.place, std::to_string(request.diskNeeded),
        request.slurm ? "yes" : "no", ownVersion(), request.trainer};
    arguments.insert(arguments.end(), request.files.begin(), request.files.end());
    const Seconds before = clockNow();
    const Result<ChildResult> said = shell.run(probeScript, arguments, {kProbeLimit, kLargestProbeAnswer});
    if (!said)
        return said.error();
    const Seconds after = clockNow();
    const Result<HostProbeResult> answer = parseProbe(said->out, after, after - before);
    return answer ? answer
                  : Result<HostProbeResult>(Error{.what = answer.error().what,
                        .where = shell.name(),
                        .accepted = answer.error().accepted,
                        .fault = answer.error().fault});
}

} // namespace slipway
