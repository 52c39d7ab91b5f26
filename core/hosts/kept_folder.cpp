// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/kept_folder.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "hosts/host.h"
#include "hosts/host_text.h"
#include "hosts/shell.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostFiles = 20'000, kMostDepth = 6;
constexpr std::chrono::seconds kListLimit{60};
constexpr Bytes kLargestList = 8 * kMiB;

fs::path stampsFile(const RunPaths &paths) { return paths.directory / "script-checkpoints.json"; }

// Reads a record "SECONDS SIZE PATH".
bool takeFile(std::string_view record, RemoteFolder &there)
{
    const std::size_t first = record.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : record.find(' ', first + 1);
    if (second == std::string_view::npos)
        return false;
    const auto changed = parseNumber(record.substr(0, first));
    const auto size = parseInteger(record.substr(first + 1, second - first - 1));
    if (!changed || !std::isfinite(*changed) || !size || *size < 0 || *size > Bytes{1} << 50)
        return false;
    const std::vector<std::string_view> parts = split(record.substr(second + 1), '/');
    if (parts.empty() || parts.size() > kMostDepth ||
        !std::all_of(parts.begin(), parts.end(), [](std::string_view part) { return isPlainFileName(part); }))
        return true; // left out
    FolderEntry &entry = there.entries[std::string(parts.front())];
    entry.name = parts.front();
    entry.isFile = parts.size() == 1;
    std::string folder;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i)
        folder += (folder.empty() ? "" : "/") + std::string(parts[i]);
    entry.files.push_back({.folder = folder, .name = std::string(parts.back()), .size = *size});
    entry.stamp += std::string(record) + "\n";
    entry.changed = std::max(entry.changed, *changed);
    return true;
}

Result<RemoteFolder> folderHere(const std::string &workdir, const std::string &folder, const char *script)
{
    LocalShell shell;
    const Result<ChildResult> said = shell.run(script, {workdir, folder}, {kListLimit, kLargestList});
    if (!said)
        return said.error();
    if (said->exitStatus != 0)
        return Error{.what = std::string(trimmed(said->err)), .where = folder, .fault = Fault::Outside};
    return parseFolder(said->out, folder);
}

Result<void> copyTree(const fs::path &from, const fs::path &to)
{
    std::error_code failure;
    fs::create_directories(to, failure);
    fs::copy(from, to,
        fs::copy_options::recursive | fs::copy_options::overwrite_existing | fs::copy_options::skip_symlinks, failure);
    return failure
               ? Result<void>(Error{
                     .what = "cannot be copied: " + failure.message(), .where = from.string(), .fault = Fault::Outside})
               : Result<void>();
}

} // namespace

const char *const listFolderScript = R"script(
[ -n "$1" ] || set -- "$HOME" "$2"
cd -- "$1" && cd -- "$2" || exit 3
printf '%s\0' "$(pwd)"
find . -maxdepth 6 -type f -printf '%T@ %s %P\0' | sort -z
printf '%s\0' "$(date +%s.%N)"
)script";

const char *const makeFolderScript = R"script(
[ -n "$1" ] || set -- "$HOME" "$2"
cd -- "$1" && mkdir -p -- "$2" && cd -- "$2" || exit 3
printf '%s\0' "$(pwd)"
printf '%s\0' "$(date +%s.%N)"
)script";

Result<RemoteFolder> parseFolder(const std::string &output, const std::string &where)
{
    std::vector<std::string_view> records = split(output, '\0');
    if (!records.empty() && records.back().empty())
        records.pop_back();
    const Error damaged{.what = "sent no valid list of its checkpoint files", .where = where, .fault = Fault::Damaged};
    if (records.size() < 2 || !isRemotePath(records.front()))
        return damaged;
    if (records.size() > kMostFiles)
        return Error{.what = "holds " + std::to_string(records.size()) + " files",
            .where = where,
            .accepted = "at most " + std::to_string(kMostFiles)};
    const auto now = parseNumber(records.back());
    RemoteFolder there{.path = std::string(records.front()), .now = now.value_or(0), .entries = {}};
    for (std::size_t i = 1; now && i + 1 < records.size(); ++i) {
        if (!takeFile(records[i], there))
            return damaged;
    }
    return now ? Result<RemoteFolder>(std::move(there)) : Result<RemoteFolder>(damaged);
}

std::map<std::string, std::string> keptStamps(const RunPaths &paths)
{
    std::map<std::string, std::string> stamps;
    const Result<std::string> text = readPrivateFile(stampsFile(paths), 16 * kMiB);
    const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(text.error());
    if (!json || !json->is_object())
        return stamps;
    for (const auto &[name, stamp] : json->items()) {
        if (stamp.is_string() && isPlainFileName(name))
            stamps[name] = stamp.get<std::string>();
    }
    return stamps;
}

Result<void> writeKeptStamps(const RunPaths &paths, const std::map<std::string, std::string> &stamps)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto &[name, stamp] : stamps)
        json[name] = stamp;
    return writePrivateFile(
        stampsFile(paths), json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Seconds settlingTime(const RunPaths &paths)
{
    const RunState state = statusOf(paths).state;
    return state == RunState::Succeeded || state == RunState::Cancelled ? 0 : kEntrySettles;
}

std::vector<FolderEntry> entriesToTake(
    const RemoteFolder &there, const std::map<std::string, std::string> &stamps, Seconds settled)
{
    std::vector<FolderEntry> entries;
    for (const auto &[name, entry] : there.entries) {
        const auto known = stamps.find(name);
        if (entry.changed <= there.now - settled && (known == stamps.end() || known->second != entry.stamp))
            entries.push_back(entry);
    }
    return entries;
}

void dropGoneEntries(const RunPaths &paths, const RemoteFolder &there, std::map<std::string, std::string> &stamps)
{
    for (auto stamp = stamps.begin(); stamp != stamps.end() && !there.entries.empty();) {
        if (there.entries.count(stamp->first) > 0) {
            ++stamp;
            continue;
        }
        std::error_code ignored;
        fs::remove_all(keptScriptCheckpoints(paths) / stamp->first, ignored);
        stamp = stamps.erase(stamp);
    }
}

// Copies the folder although it is on this machine, because after a crash it would not be known which originals are
// complete.
Result<bool> copyCheckpoints(const RunPaths &paths, const std::string &workdir, const std::string &folder)
{
    const Result<RemoteFolder> there = folderHere(workdir, folder, listFolderScript);
    if (!there)
        return there.error();
    std::map<std::string, std::string> stamps = keptStamps(paths);
    if (const Result<void> made = makePrivateFolder(keptScriptCheckpoints(paths)); !made)
        return made.error();
    const std::vector<FolderEntry> entries = entriesToTake(*there, stamps, settlingTime(paths));
    for (const FolderEntry &entry : entries) {
        const fs::path to = keptScriptCheckpoints(paths) / entry.name;
        const fs::path from = fs::path(there->path) / entry.name;
        std::error_code failure;
        if (entry.isFile)
            fs::copy_file(from, to, fs::copy_options::overwrite_existing, failure);
        if (failure)
            return Error{
                .what = "cannot be copied: " + failure.message(), .where = from.string(), .fault = Fault::Outside};
        if (const Result<void> copied = entry.isFile ? Result<void>() : copyTree(from, to); !copied)
            return copied.error();
        stamps[entry.name] = entry.stamp;
    }
    dropGoneEntries(paths, *there, stamps);
    const Result<void> written = writeKeptStamps(paths, stamps);
    return written ? Result<bool>(!entries.empty()) : Result<bool>(written.error());
}

Result<void> copyFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder)
{
    std::error_code ignored;
    if (!fs::exists(keptScriptCheckpoints(paths), ignored))
        return {};
    const Result<RemoteFolder> made = folderHere(workdir, folder, makeFolderScript);
    return made ? copyTree(keptScriptCheckpoints(paths), made->path) : Result<void>(made.error());
}

} // namespace slipway
