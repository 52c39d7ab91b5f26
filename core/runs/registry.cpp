// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/registry.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>

#include "base/read_failures.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "base/user_folders.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

Error folderError(const fs::path &path, const std::error_code &failure)
{
    return {.what = "cannot be written: " + failure.message(), .where = path.string(), .fault = Fault::Outside};
}

bool isRun(const fs::path &directory)
{
    std::error_code ignored;
    return fs::exists(RunPaths{directory}.config(), ignored);
}

fs::file_time_type newestWrite(const RunPaths &paths)
{
    fs::file_time_type newest = fs::file_time_type::min();
    for (const fs::path &path : {paths.config(), paths.metrics(), paths.events(), paths.exitStatus()}) {
        std::error_code failed;
        const auto time = fs::last_write_time(path, failed);
        if (!failed)
            newest = std::max(newest, time);
    }
    return newest;
}

} // namespace

std::string folderName(const std::string &name)
{
    return safeName(name, {.kept = "-_.", .longest = 100, .utf8 = true});
}

std::string nameInFolder(const std::string &title, const std::string &folder)
{
    const std::string launched = folderName(title);
    if (title.empty() || folder.empty() || folder == launched)
        return title.empty() ? folder : title;
    const bool numbered = folder.starts_with(launched + '-') && parseInteger(folder.substr(launched.size() + 1));
    return numbered ? title + folder.substr(launched.size()) : folder;
}

fs::path Registry::next(const std::string &name) const
{
    const std::string base = folderName(name);
    fs::path folder = m_folder / base;
    std::error_code ignored;
    for (int number = 2; fs::exists(fs::symlink_status(folder, ignored)); ++number)
        folder = m_folder / (base + "-" + std::to_string(number));
    return folder;
}

fs::path Registry::defaultFolder() { return userDataPath("runs"); }

Result<fs::path> Registry::create(const std::string &name) const
{
    if (const Result<void> made = makeUserFolder(m_folder); !made)
        return made.error();
    const std::string base = folderName(name);
    for (int number = 1;; ++number) {
        const fs::path directory = m_folder / (number == 1 ? base : base + "-" + std::to_string(number));
        if (::mkdir(directory.c_str(), 0700) == 0)
            return directory;
        if (errno != EEXIST)
            return folderError(directory, std::error_code(errno, std::generic_category()));
    }
}

Result<void> Registry::add(const fs::path &directory) const
{
    std::error_code failure;
    const fs::path real = fs::canonical(directory, failure);
    if (failure)
        return Error{.what = "cannot be read: " + failure.message(), .where = directory.string()};
    if (const Result<void> made = makeUserFolder(m_folder); !made)
        return made;
    if (fs::equivalent(real.parent_path(), m_folder, failure))
        return {};
    const std::string base = folderName(real.filename().string());
    for (int number = 1;; ++number) {
        const fs::path link = m_folder / (number == 1 ? base : base + "-" + std::to_string(number));
        fs::create_directory_symlink(real, link, failure);
        if (!failure)
            return {};
        if (failure != std::errc::file_exists)
            return folderError(link, failure);
        std::error_code unreadable;
        if (fs::equivalent(link, real, unreadable))
            return {};
        if (fs::is_symlink(link, unreadable) && !fs::exists(link, unreadable)) { // its run was deleted
            fs::remove(link, unreadable);
            --number;
        }
    }
}

std::vector<KnownRun> Registry::list() const
{
    std::vector<KnownRun> runs;
    const LocalMachine machine = LocalMachine::current();
    std::error_code failure;
    for (fs::directory_iterator entry(m_folder, failure), end; !failure && entry != end; entry.increment(failure)) {
        std::error_code unreadable;
        const fs::path directory = fs::canonical(entry->path(), unreadable);
        if (unreadable || !isRun(directory))
            continue;
        const RunPaths paths{directory};
        runs.push_back({.name = entry->path().filename().string(),
            .directory = directory,
            .changed = newestWrite(paths),
            .status = statusOf(paths, machine)});
    }
    noteReadFailure(m_folder, failure.value());
    std::sort(runs.begin(), runs.end(), [](const KnownRun &a, const KnownRun &b) {
        return a.changed != b.changed ? a.changed > b.changed : a.name < b.name;
    });
    return runs;
}

Result<fs::path> Registry::find(const std::string &nameOrDirectory) const
{
    std::error_code failure;
    const bool isName = !nameOrDirectory.empty() && nameOrDirectory.find('/') == std::string::npos &&
                        nameOrDirectory != "." && nameOrDirectory != "..";
    if (isName && isRun(m_folder / nameOrDirectory))
        return fs::canonical(m_folder / nameOrDirectory, failure);
    if (isRun(nameOrDirectory))
        return fs::canonical(nameOrDirectory, failure);
    if (fs::is_directory(nameOrDirectory, failure))
        return Error{.what = "has no run.yaml, so it is not a run folder",
            .where = nameOrDirectory,
            .accepted = "a run's name or its directory"};
    std::vector<std::string> names;
    for (fs::directory_iterator entry(m_folder, failure), end; !failure && entry != end; entry.increment(failure))
        names.push_back(entry->path().filename().string());
    return unknownName("run", nameOrDirectory, names, "", "a run's name as `slipway runs` lists it, or its directory");
}

} // namespace slipway
