// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/launch_script.h"

#include "base/text.h"

namespace slipway {

namespace {

// One rename claims an attempt: attempts/N appears with all files that prove the start. The process that renames
// becomes the trainer, so a claimed attempt has, or had, a process. If the preparation is interrupted before the
// rename, nothing is claimed, and the same order can start the attempt later. After the rename, the answer to the same
// order is "already". A later start removes an interrupted preparation, attempts/.N.PID.
//
// Another training script may leave processes behind that have left its process group. They carry a mark. They have 5 s
// to end by themselves and 10 s after SIGTERM, or 5 s if the run is to stop. Then they are killed. The exit status of
// the script is written when they are gone.
//
// The files that readers look for in the run's directory are prepared too, and renamed after that. rc.tmp is
// overwritten and not created again, so that the exit status can be written even if the disk has become full.
constexpr const char *kLaunchBeforeMarkedEnd = R"script(
directory=$1 attempt=$2
shift 2
umask 077
cd -- "$directory" && mkdir -p attempts || exit 3
if [ -s "attempts/$attempt/pgid" ]; then echo "already $(cat "attempts/$attempt/pgid")"; exit 0; fi
find attempts -mindepth 1 -maxdepth 1 -name '.*' -mmin +10 -exec rm -rf -- {} + 2> /dev/null
leader='
attempt=$1 supervisor=$2 part=attempts/.$1.$$
shift 2
started() { cut -d " " -f 22 "/proc/$1/stat"; }
mkdir -- "$part" "$part/run" && uname -n > "$part/run/host" &&
    cat /proc/sys/kernel/random/boot_id > "$part/run/boot_id" && started $$ > "$part/run/starttime" &&
    since=$(started "$supervisor") && echo "$supervisor $since" > "$part/run/supervisor" &&
    echo $$ > "$part/run/pgid" && cp -- "$part/run/"* "$part" && printf "    \n" > "$part/rc.tmp" &&
    : >> out.log && : >> err.log ||
    { rm -rf -- "$part"; exit 3; }
if ! problem=$(mv -T -- "$part" "attempts/$attempt" 2>&1); then
    rm -rf -- "$part"
    if [ -s "attempts/$attempt/pgid" ]; then echo "already $(cat "attempts/$attempt/pgid")"; exit 0; fi
    echo "$problem" >&2
    exit 3
fi
ready="attempts/$attempt/run"
rm -f rc pgid stop.request && mv -f "$ready/host" "$ready/boot_id" "$ready/starttime" "$ready/supervisor" . &&
    mv -f "$ready/pgid" . && rmdir "$ready" || exit 3
(echo "started $$")
exec >> out.log 2>> err.log
exec "$@"
'
supervisor='
trap "" HUP
leader=$1 attempt=$2
shift 2
setsid sh -c "$leader" run "$attempt" $$ "$@" &
child=$!
exec > /dev/null 2>&1
wait $child
status=$?
asked=
if [ -e stop.request ]; then asked=yes; fi
)script";

constexpr const char *kLaunchBehindMarkedEnd = R"script(
read -r group < "attempts/$attempt/pgid"
# Whatever a trainer returns while its machine is being shut down says nothing of the run, which is then lost.
if [ "$status" -ne 0 ] && [ ! -e stop.request ] && [ "$(systemctl is-system-running 2> /dev/null)" = stopping ]; then
    exit
fi
if [ "$group" = $child ]; then
    printf "%-3d\n" $status 1<> "attempts/$attempt/rc.tmp"
    mv -f "attempts/$attempt/rc.tmp" rc || echo $status > rc
fi
'
# Ends when the leader has closed its output: with its reply, or without one where it failed.
reply=$(setsid --fork sh -c "$supervisor" supervise "$leader" "$attempt" "$@" < /dev/null)
if [ -z "$reply" ]; then echo "nothing was started" >&2; exit 3; fi
echo "$reply"
)script";

} // namespace

const char *const endMarkedScript = R"script(
mark=$(cat "attempts/$attempt/mark" 2> /dev/null)
left() { grep -lsxzF -- "$mark" /proc/[0-9]*/environ | cut -d / -f 3; }
tries=0 signal=0
if [ -n "$asked" ]; then tries=50 signal=TERM; fi
if [ "$status" -eq 137 ]; then signal=KILL; fi
while [ -n "$mark" ] && [ "$tries" -lt 150 ] && pids=$(left) && [ -n "$pids" ]; do
    kill -s "$signal" $pids
    sleep 0.2
    tries=$((tries + 1))
    if [ "$tries" -eq 25 ]; then signal=TERM; fi
    if [ "$tries" -eq 75 ]; then signal=KILL; fi
done 2> /dev/null
)script";

std::string launchScript() { return std::string(kLaunchBeforeMarkedEnd) + endMarkedScript + kLaunchBehindMarkedEnd; }

std::vector<std::string> launchArguments(const StartRequest &request)
{
    std::vector<std::string> argv{
        "/bin/sh", "-c", launchScript(), "slipway-launch", request.directory.string(), std::to_string(request.attempt)};
    argv.insert(argv.end(), request.command.begin(), request.command.end());
    return argv;
}

Result<Started> parseLaunchReply(const std::string &reply, const StartRequest &request)
{
    const std::vector<std::string_view> words = split(trimmed(reply), ' ');
    const std::optional<std::int64_t> group = words.size() == 2 ? parseInteger(words[1]) : std::nullopt;
    if (!group || *group <= 1 || (words[0] != "started" && words[0] != "already"))
        return Error{.what = "the start was not confirmed. `slipway watch` shows whether it runs",
            .where = request.directory.string(),
            .fault = Fault::Outside};
    return Started{.processGroup = *group, .already = words[0] == "already"};
}

} // namespace slipway
