// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/fetched_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "hosts/host_text.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::array kReportNames{"config.json", "tokenizer.json", "tokenizer.model"};
constexpr std::array kReportSuffixes{".csv", ".tsv", ".txt", ".md", ".pdf", ".html", ".png", ".svg"};

Error systemError(const fs::path &path, const std::string &action, int errorNumber)
{
    return {.what = "cannot be " + action + ": " + systemMessage(errorNumber),
        .where = path.string(),
        .fault = Fault::Outside};
}

// Makes a directory that belongs to this user and that no other user can enter.
Result<void> makeFetchFolder(const fs::path &path)
{
    struct stat status{};
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return systemError(path, "made", errno);
    if (::lstat(path.c_str(), &status) != 0)
        return systemError(path, "read", errno);
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
        return Error{.what = "is not a folder of yours, so nothing can be fetched into it",
            .where = path.string(),
            .accepted = "a path that does not exist, or a folder of yours",
            .fault = Fault::Outside};
    if ((status.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0)
        return systemError(path, "made private", errno);
    return {};
}

// Calls `visit` with the name and the status of each entry. Does not follow links. Returns false if an entry cannot be
// read.
template<typename Visit>
bool forEachEntry(const fs::path &folder, Visit visit)
{
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
        struct stat status{};
        if (::lstat(entry->path().c_str(), &status) == 0)
            visit(entry->path().filename().string(), status);
    }
    return !failure;
}

} // namespace

Result<void> checkSpace(const fs::path &folder, Bytes needed)
{
    std::error_code failure;
    const fs::space_info disk = fs::space(folder, failure);
    if (failure || static_cast<std::uintmax_t>(needed) <= disk.available)
        return {};
    return Error{.what = fmt::format("has {} free, and the checkpoint takes {}",
                     formatBytes(static_cast<Bytes>(disk.available)), formatBytes(needed)),
        .where = folder.string(),
        .fault = Fault::Outside};
}

FetchRules smallFileRules()
{
    FetchRules rules{.patterns = {}, .largestFile = 32 * kMiB, .most = 256 * kMiB, .files = 200};
    rules.patterns.assign(kReportNames.begin(), kReportNames.end());
    for (const char *suffix : kReportSuffixes)
        rules.patterns.push_back("*" + std::string(suffix));
    return rules;
}

FetchRules checkpointRules(Bytes bytes)
{
    return {.patterns = {"*"}, .largestFile = bytes, .most = bytes, .files = 100'000};
}

bool FetchRules::accepts(std::string_view name) const
{
    return isPlainFileName(name) && std::any_of(patterns.begin(), patterns.end(), [name](const std::string &pattern) {
        return pattern.front() == '*' ? name.ends_with(pattern.substr(1)) : name == pattern;
    });
}

std::vector<std::string> FetchRules::rsyncOptions() const
{
    std::vector<std::string> options{fmt::format("--max-size={}", largestFile)};
    options.emplace_back("--exclude=.*");
    for (const std::string &pattern : patterns)
        options.push_back("--include=/" + pattern);
    // Excludes everything else. If an allowed name is that of a folder, its content is excluded as well.
    options.emplace_back("--exclude=*");
    return options;
}

Result<FetchFolder> FetchFolder::make(const RunPaths &paths, const std::string &name, bool kept)
{
    const fs::path parent = paths.directory / ".fetch", path = parent / name;
    if (const Result<void> made = makeFetchFolder(parent); !made)
        return made.error();
    std::error_code failure;
    if (!kept)
        fs::remove_all(path, failure);
    if (const Result<void> made = makeFetchFolder(path); !made)
        return made.error();
    // Removes what an interrupted fetch left: the file that was being written, and entries that no fetch writes.
    forEachEntry(path, [&](const std::string &entry, const struct stat &status) {
        if (!S_ISREG(status.st_mode) || !isPlainFileName(entry))
            fs::remove_all(path / entry, failure);
    });
    return FetchFolder(path);
}

FetchFolder::Content FetchFolder::content() const
{
    Content content;
    forEachEntry(m_path, [&](const std::string &, const struct stat &status) {
        // The apparent size of a sparse file counts, because a copy of it would take as much space.
        content.bytes += std::max<Bytes>(status.st_size, static_cast<Bytes>(status.st_blocks) * 512);
        ++content.files;
    });
    return content;
}

std::optional<std::string> FetchFolder::excess(const FetchRules &rules, const Content &content)
{
    if (content.files > rules.files)
        return fmt::format("sends more than {} files", rules.files);
    // The file that is being received may exist twice, with its earlier part. Disks also count whole blocks.
    if (content.bytes > rules.most + rules.largestFile + kMiB)
        return "sends more than " + formatBytes(rules.most);
    return std::nullopt;
}

Result<void> FetchFolder::applyRules(const FetchRules &rules)
{
    if (const std::optional<std::string> reason = excess(rules, content()))
        return Error{.what = *reason, .where = m_path.string(), .fault = Fault::Damaged};
    std::vector<std::string> refused;
    const bool read = forEachEntry(m_path, [&](const std::string &name, const struct stat &status) {
        if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || !rules.accepts(name))
            refused.push_back(name);
    });
    std::error_code failure;
    for (const std::string &name : refused)
        fs::remove_all(m_path / name, failure);
    if (!read || failure)
        return Error{.what = "cannot be read or cleaned", .where = m_path.string(), .fault = Fault::Outside};
    return {};
}

Result<void> FetchFolder::moveFilesTo(const fs::path &folder)
{
    std::vector<std::string> names;
    forEachEntry(m_path, [&](const std::string &name, const struct stat &) { names.push_back(name); });
    for (const std::string &name : names) {
        if (::rename((m_path / name).c_str(), (folder / name).c_str()) != 0)
            return systemError(folder / name, "written", errno);
    }
    remove();
    return {};
}

Result<void> FetchFolder::replace(const fs::path &folder)
{
    const fs::path old = m_path.string() + ".old";
    std::error_code ignored;
    fs::remove_all(old, ignored);
    if (::rename(folder.c_str(), old.c_str()) != 0 && errno != ENOENT)
        return systemError(folder, "replaced", errno);
    if (::rename(m_path.c_str(), folder.c_str()) != 0) {
        const int failure = errno;
        ::rename(old.c_str(), folder.c_str());
        return systemError(folder, "written", failure);
    }
    fs::remove_all(old, ignored);
    return {};
}

void FetchFolder::remove()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    fs::remove(m_path.parent_path(), ignored); // succeeds only if it is empty
}

} // namespace slipway
