// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/launch_script.h"

#include "base/text.h"

namespace slipway {

// rc.tmp is written over, not anew: a disk that has become full takes the exit status all the same.
// mkdir of attempts/N is the lock: it succeeds once, so an order that is given again after a lost reply starts nothing.
const char *const launchScript = R"script(
directory=$1 attempt=$2
shift 2
cd -- "$directory" || exit 3
mkdir -p attempts || exit 3
reply=already
if mkdir "attempts/$attempt" 2> /dev/null; then
    reply=started
    rm -f rc pgid starttime supervisor stop.request || exit 3
    uname -n > host && cat /proc/sys/kernel/random/boot_id > boot_id && printf '    \n' > rc.tmp || exit 3
    setsid --fork sh -c '
        trap "" HUP
        echo "$$ $(cut -d " " -f 22 /proc/$$/stat)" > supervisor
        setsid sh -c '\''
            attempt=$1; shift
            cut -d " " -f 22 /proc/$$/stat > starttime
            echo $$ > pgid.tmp && mv pgid.tmp pgid && echo $$ > "attempts/$attempt/pgid" && exec "$@"
        '\'' run "$@" >> out.log 2>> err.log < /dev/null &
        wait $!
        printf "%-3d\n" $? 1<> rc.tmp
        mv rc.tmp rc
    ' supervise "$attempt" "$@" < /dev/null > /dev/null 2>&1
elif [ ! -d "attempts/$attempt" ]; then
    mkdir "attempts/$attempt" # says why
    exit 3
fi
tries=0
while [ ! -s "attempts/$attempt/pgid" ] && [ $tries -lt 500 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
echo "$reply $(cat "attempts/$attempt/pgid")"
)script";

std::vector<std::string> launchArguments(const StartRequest &request)
{
    std::vector<std::string> argv{
        "/bin/sh", "-c", launchScript, "slipway-launch", request.directory.string(), std::to_string(request.attempt)};
    argv.insert(argv.end(), request.command.begin(), request.command.end());
    return argv;
}

Result<Started> parseLaunchReply(const std::string &reply, const StartRequest &request)
{
    const std::vector<std::string_view> words = split(trimmed(reply), ' ');
    const std::optional<std::int64_t> group = words.size() == 2 ? parseInteger(words[1]) : std::nullopt;
    if (!group || *group <= 1 || (words[0] != "started" && words[0] != "already"))
        return Error{.what = "the start was not confirmed; `slipway watch` shows whether it runs",
            .where = request.directory.string(),
            .fault = Fault::Outside};
    return Started{.processGroup = *group, .already = words[0] == "already"};
}

} // namespace slipway
