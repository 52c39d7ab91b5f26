// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is fetched from a run's host on request: reports, or the latest checkpoint.
#include <random>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "hosts/fetched_files.h"
#include "hosts/host_text.h"
#include "hosts/run_copy.h"
#include "hosts/shell_host.h"
#include "hosts/transfer_pace.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes kReportsLimit{10};
constexpr std::chrono::hours kCheckpointLimit{12};
constexpr const char *kLatest = "latest";
constexpr Bytes kRsyncOutput = kMiB; // rsync prints a line for each file that it excludes

// Prints the place of the latest checkpoint below checkpoints, then "SIZE NAME" of each file. Records end in NUL. A run
// replaces its checkpoints, and a copy may take longer than that. So if a second argument is given, hard links give the
// files a second name in checkpoints/$2/NAME. `latest` is read again after that. A run does not remove its latest
// checkpoint, so all files then have their second name. Where hard links are impossible, the place is the checkpoint
// itself. The links of an interrupted fetch are removed after the time limit of a copy.
const char *const checkpointScript = R"script(
cd -- "$1/checkpoints" || exit 3
[ -z "$2" ] || find . -maxdepth 1 -name '.fetch-*' -mmin +780 -exec rm -rf -- {} + >/dev/null 2>&1
tries=0
while :; do
    latest=$(head -c 256 latest) || exit 3
    case $latest in '' | -* | .* | */*) echo "checkpoints/latest does not name a checkpoint" >&2; exit 3 ;; esac
    place=$latest
    [ -n "$2" ] || break
    rm -rf -- "$2"
    mkdir -m 700 -- "$2" 2>/dev/null && cp -al -- "$latest" "$2/" 2>/dev/null && place=$2/$latest
    [ "$(head -c 256 latest)" != "$latest" ] || break
    tries=$((tries + 1))
    [ $tries -lt 50 ] || { echo "the run keeps replacing its checkpoint" >&2; exit 3; }
done
cd -- "$place" && printf '%s\0' "$place" && find . -maxdepth 1 -type f -printf '%s %f\0'
)script";

const char *const releaseScript = R"script(
cd -- "$1/checkpoints" && rm -rf -- "$2"
)script";

const char *const reportsScript = R"script(
cd -- "$1" || exit 3
most=$2
shift 2
for pattern in "$@"; do find . -maxdepth 1 -type f -name "$pattern" -size "-${most}c" -printf '%s %f\0'; done
)script";

struct ListedFile {
    Bytes size = 0;
    std::string name;
};

// Reads a record "SIZE NAME". Empty if it is no such record, or if no file of this name is fetched.
std::optional<ListedFile> listedFile(std::string_view record, const FetchRules &rules)
{
    const std::size_t blank = record.find(' ');
    const std::optional<std::int64_t> size =
        blank == std::string_view::npos ? std::nullopt : parseInteger(record.substr(0, blank));
    if (!size || *size < 0 || *size > kLargestFetch || !rules.accepts(record.substr(blank + 1)))
        return std::nullopt;
    return ListedFile{.size = *size, .name = std::string(record.substr(blank + 1))};
}

Bytes sumOf(const std::vector<ListedFile> &files)
{
    Bytes sum = 0;
    for (const ListedFile &file : files)
        sum = addSize(sum, file.size);
    return sum;
}

struct RemoteCheckpoint {
    std::string name;
    std::string place; // below checkpoints
    std::vector<ListedFile> files;
};

Result<RemoteCheckpoint> checkpointFrom(const std::string &answer, const std::string &second, const std::string &where)
{
    std::vector<std::string_view> records = split(answer, '\0');
    if (!records.empty() && records.back().empty())
        records.pop_back();
    const Error damaged{.what = "does not list its latest checkpoint as files with plain names",
        .where = where,
        .fault = Fault::Damaged};
    const FetchRules rules = checkpointRules(0);
    if (records.size() < 2 || records.size() > rules.files)
        return damaged;
    std::string_view name = records.front();
    if (!second.empty() && name.starts_with(second + "/"))
        name.remove_prefix(second.size() + 1);
    if (!isPlainFileName(name) || name == kLatest) // a folder of this name would take the place of the file
        return damaged;
    RemoteCheckpoint checkpoint{.name = std::string(name), .place = std::string(records.front()), .files = {}};
    for (std::size_t i = 1; i < records.size(); ++i) {
        std::optional<ListedFile> file = listedFile(records[i], rules);
        if (!file)
            return damaged;
        checkpoint.files.push_back(*std::move(file));
    }
    return checkpoint;
}

// `answer` is the output of checkpointScript with this second argument.
Result<RemoteCheckpoint> latestFrom(
    const Result<std::string> &answer, const std::string &second, const std::string &where)
{
    if (answer)
        return checkpointFrom(*answer, second, where);
    return Error{
        .what = "has no checkpoint yet: " + answer.error().what, .where = where, .fault = answer.error().fault};
}

} // namespace

Result<Bytes> ShellHost::fetchBytes(const RunPaths &paths, FetchScope what)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    if (m_shell->isLocal())
        return Bytes{0};
    const std::string &directory = run->directory;
    if (what == FetchScope::WithCheckpoint) {
        const Result<RemoteCheckpoint> latest =
            latestFrom(ask(checkpointScript, {directory, ""}, directory), "", m_name + ":" + directory);
        return latest ? Result<Bytes>(sumOf(latest->files)) : Result<Bytes>(latest.error());
    }
    const FetchRules rules = smallFileRules();
    std::vector<std::string> arguments{directory, std::to_string(rules.largestFile + 1)};
    arguments.insert(arguments.end(), rules.patterns.begin(), rules.patterns.end());
    const Result<std::string> said = ask(reportsScript, arguments, directory);
    if (!said)
        return said.error();
    std::vector<ListedFile> files;
    for (const std::string_view record : split(*said, '\0')) {
        if (std::optional<ListedFile> file = listedFile(record, rules))
            files.push_back(*std::move(file));
    }
    return sumOf(files);
}

Result<void> ShellHost::fetch(const RunPaths &paths, FetchScope what)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run || m_shell->isLocal())
        return run ? Result<void>() : Result<void>(run.error());
    const Result<std::optional<CopyLock>> lock = CopyLock::tryAcquire(paths, "fetch.lock");
    if (!lock)
        return lock.error();
    if (!*lock)
        return Error{.what = "another program is fetching files of this run",
            .where = paths.directory.string(),
            .fault = Fault::Outside};
    return what == FetchScope::SmallFiles ? fetchSmallFiles(paths, run->directory)
                                          : fetchCheckpoint(paths, run->directory);
}

Result<void> ShellHost::fetchInto(FetchFolder &folder, const std::string &from, const std::string &known,
    const FetchRules &rules, std::chrono::milliseconds timeLimit)
{
    std::vector<std::string> options = rules.rsyncOptions();
    options.push_back(known);
    TransferPace pace(TransferPace::Clock::now());
    const auto reasonToStop = [&] {
        const FetchFolder::Content content = folder.content();
        const std::optional<std::string> reason = FetchFolder::excess(rules, content);
        return reason ? reason : pace.tooSlow(content.bytes, TransferPace::Clock::now());
    };
    const Result<void> fetched =
        m_shell->fetch(from + "/", folder.path().string() + "/", options, {timeLimit, kRsyncOutput, reasonToStop});
    if (!fetched)
        return fetched.error();
    const Result<void> sifted = folder.applyRules(rules);
    return sifted ? sifted
                  : Result<void>(Error{
                        .what = sifted.error().what, .where = m_name + ":" + from, .fault = sifted.error().fault});
}

Result<void> ShellHost::fetchSmallFiles(const RunPaths &paths, const std::string &directory)
{
    const FetchRules rules = smallFileRules();
    Result<FetchFolder> folder = FetchFolder::make(paths, "reports", false);
    if (!folder)
        return folder.error();
    Result<void> fetched =
        fetchInto(*folder, directory, "--compare-dest=" + paths.directory.string(), rules, kReportsLimit);
    if (fetched)
        fetched = folder->moveFilesTo(paths.directory);
    folder->remove();
    return fetched;
}

Result<void> ShellHost::fetchCheckpoint(const RunPaths &paths, const std::string &directory)
{
    const std::string second = fmt::format(".fetch-{:08x}", std::random_device()());
    const Result<void> fetched = fetchLatest(paths, directory, second);
    (void)ask(releaseScript, {directory, second}, directory); // if the host does not answer, a later fetch removes it
    return fetched;
}

// `second` is a name below checkpoints on the host.
Result<void> ShellHost::fetchLatest(const RunPaths &paths, const std::string &directory, const std::string &second)
{
    const std::string where = m_name + ":" + directory;
    const Result<RemoteCheckpoint> latest =
        latestFrom(ask(checkpointScript, {directory, second}, directory), second, where);
    if (!latest)
        return latest.error();
    const FetchRules rules = checkpointRules(sumOf(latest->files));
    Result<FetchFolder> folder = FetchFolder::make(paths, latest->name, true);
    if (!folder)
        return folder.error();
    if (const Result<void> space = checkSpace(folder->path(), rules.most); !space)
        return space;
    const fs::path target = paths.checkpoints() / latest->name;
    if (Result<void> fetched = fetchInto(*folder, directory + "/checkpoints/" + latest->place,
            "--link-dest=" + target.string(), rules, kCheckpointLimit);
        !fetched) {
        if (fetched.error().fault == Fault::Damaged) // the received part is of no use
            folder->remove();
        return fetched;
    }
    for (const ListedFile &file : latest->files) {
        std::error_code failure;
        if (fs::file_size(folder->path() / file.name, failure) != static_cast<std::uintmax_t>(file.size) || failure) {
            folder->remove();
            return Error{.what = "sent " + file.name +
                                 " with a different size than announced, so the checkpoint was not copied. The run may "
                                 "have replaced it; fetch it again",
                .where = where,
                .fault = Fault::Damaged};
        }
    }
    if (const Result<void> made = makePrivateFolder(paths.checkpoints()); !made)
        return made.error();
    if (const Result<void> replaced = folder->replace(target); !replaced)
        return replaced;
    folder->remove();
    return writePrivateFile(paths.checkpoints() / kLatest, latest->name + "\n"); // last: the copy is complete
}

} // namespace slipway
