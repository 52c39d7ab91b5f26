// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Fetches checkpoints of another training script, and moves a run from another host.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "hosts/fetched_files.h"
#include "hosts/host_text.h"
#include "hosts/run_copy.h"
#include "hosts/shell_host.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kFolderLimit{12};

// The size of the files that are not in the copy of the entry, `target`, or have another size there. rsync links the
// others.
Bytes newBytes(const FolderEntry &entry, const fs::path &target)
{
    Bytes size = 0;
    for (const FolderEntry::File &file : entry.files) {
        std::error_code failure;
        const std::uintmax_t known = fs::file_size(entry.isFile ? target : target / file.folder / file.name, failure);
        if (failure || known != static_cast<std::uintmax_t>(file.size))
            size = addSize(size, file.size);
    }
    return size;
}

// The rules for one folder of an entry: exactly the listed files.
FetchRules folderRules(const FolderEntry &entry, const std::string &folder)
{
    FetchRules rules{.patterns = {}, .largestFile = 0, .most = 0, .files = entry.files.size()};
    for (const FolderEntry::File &file : entry.files) {
        if (file.folder != folder)
            continue;
        rules.largestFile = std::max(rules.largestFile, file.size);
        rules.most = addSize(rules.most, file.size);
    }
    rules.patterns = {entry.isFile ? entry.name : "*"};
    return rules;
}

} // namespace

Result<RemoteFolder> ShellHost::remoteFolder(const std::string &workdir, const std::string &folder)
{
    const Result<std::string> said = ask(listFolderScript, {workdir, folder}, folder);
    return said ? parseFolder(*said, m_name + ":" + folder) : Result<RemoteFolder>(said.error());
}

// Each folder of the entry is fetched by itself. The entry is assembled here and renamed into place as a whole.
Result<void> ShellHost::fetchEntry(const RunPaths &paths, const std::string &from, const FolderEntry &entry)
{
    const fs::path target = keptScriptCheckpoints(paths) / entry.name;
    if (Result<void> space = checkSpace(paths.directory, newBytes(entry, target)); !space)
        return space;
    std::set<std::string> folders{""};
    for (const FolderEntry::File &file : entry.files) {
        for (std::size_t slash = file.folder.find('/'); slash != std::string::npos;
            slash = file.folder.find('/', slash + 1))
            folders.insert(file.folder.substr(0, slash));
        folders.insert(file.folder);
    }
    std::vector<std::pair<std::string, FetchFolder>> parts;
    for (const std::string &folder : folders) { // a folder comes before its subfolders
        Result<FetchFolder> part = FetchFolder::make(paths, "kept-" + std::to_string(parts.size()), false);
        if (!part)
            return part.error();
        const std::string there = entry.isFile ? from : from + "/" + entry.name + (folder.empty() ? "" : "/" + folder);
        const std::string known = entry.isFile ? keptScriptCheckpoints(paths).string() : (target / folder).string();
        if (const Result<void> fetched =
                fetchInto(*part, there, "--link-dest=" + known, folderRules(entry, folder), kFolderLimit);
            !fetched)
            return fetched;
        parts.emplace_back(folder, *std::move(part));
    }
    for (const FolderEntry::File &file : entry.files) {
        const auto part =
            std::find_if(parts.begin(), parts.end(), [&](const auto &one) { return one.first == file.folder; });
        std::error_code failure;
        if (part == parts.end() ||
            fs::file_size(part->second.path() / file.name, failure) != static_cast<std::uintmax_t>(file.size) ||
            failure)
            return Error{.what = "sent '" + file.name + "' with a different size than it had listed",
                .where = m_name + ":" + from,
                .fault = Fault::Damaged};
    }
    if (entry.isFile)
        return parts.front().second.moveFilesTo(keptScriptCheckpoints(paths));
    std::error_code failure;
    for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
        fs::rename(part->second.path(), parts.front().second.path() / part->first, failure);
        if (failure)
            return Error{.what = "cannot be written: " + failure.message(),
                .where = part->second.path().string(),
                .fault = Fault::Outside};
    }
    return parts.front().second.replace(target);
}

Result<bool> ShellHost::fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder)
{
    if (m_shell->isLocal())
        return copyCheckpoints(paths, workdir, folder);
    const Result<std::optional<CopyLock>> lock = CopyLock::tryAcquire(paths, "fetch.lock");
    if (!lock || !*lock)
        return lock ? Result<bool>(false) : Result<bool>(lock.error());
    const Result<RemoteFolder> there = remoteFolder(workdir, folder);
    if (!there)
        return there.error();
    if (const Result<void> made = makePrivateFolder(keptScriptCheckpoints(paths)); !made)
        return made.error();
    std::map<std::string, std::string> stamps = keptStamps(paths);
    bool came = false;
    for (const FolderEntry &entry : entriesToTake(*there, stamps, settlingTime(paths))) {
        if (const Result<void> fetched = fetchEntry(paths, there->path, entry); !fetched)
            return fetched.error();
        stamps.erase(entry.name);
        const Result<RemoteFolder> after = remoteFolder(workdir, folder);
        const auto same = after ? after->entries.find(entry.name) : there->entries.end();
        if (!after || same == after->entries.end() || same->second.stamp != entry.stamp) { // changed during the fetch
            std::error_code ignored;
            fs::remove_all(keptScriptCheckpoints(paths) / entry.name, ignored);
            continue;
        }
        stamps[entry.name] = entry.stamp;
        came = true;
    }
    dropGoneEntries(paths, *there, stamps);
    const Result<void> written = writeKeptStamps(paths, stamps);
    return written ? Result<bool>(came) : Result<bool>(written.error());
}

Result<void> ShellHost::uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder)
{
    if (m_shell->isLocal())
        return folder.empty() ? Result<void>() : copyFolder(paths, config.training.workdir, folder);
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    std::error_code ignored;
    for (const auto &[name, from] : wantedParts(paths)) {
        if (!fs::is_regular_file(paths.directory / name, ignored))
            continue;
        if (const Result<void> sent =
                m_shell->send((paths.directory / name).string(), run->directory + "/" + name, kFolderLimit);
            !sent)
            return sent;
    }
    if (!folder.empty()) {
        if (!fs::exists(keptScriptCheckpoints(paths), ignored))
            return {};
        const Result<std::string> said = ask(makeFolderScript, {config.training.workdir, folder}, folder);
        const Result<RemoteFolder> made =
            said ? parseFolder(*said, m_name + ":" + folder) : Result<RemoteFolder>(said.error());
        return made ? m_shell->send(keptScriptCheckpoints(paths).string() + "/", made->path + "/", kFolderLimit)
                    : Result<void>(made.error());
    }
    const Result<std::string> latest = readPrivateFile(paths.checkpoints() / "latest", 4 * kKiB);
    if (!latest)
        return {}; // no checkpoint was kept
    if (const Result<void> sent = sendCheckpoint(paths, paths); !sent)
        return sent;
    return writeRemoteFiles({{.directory = run->directory + "/checkpoints", .name = "latest", .text = *latest}});
}

} // namespace slipway
