// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/rename_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>

namespace slipway {

namespace fs = std::filesystem;

Result<void> moveIntoList(const Registry &registry, const fs::path &from, const std::string &name)
{
    const fs::path to = registry.folder() / name;
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return {};
    if (errno == EEXIST)
        return Error{.what = "there is a run '" + name + "' already", .where = to.string()};
    return Error{.what = "cannot be renamed: " + std::generic_category().message(errno),
        .where = from.string(),
        .fault = Fault::Outside};
}

Result<fs::path> renameRun(const Registry &registry, const std::string &name, const std::string &newName)
{
    if (newName.empty() || folderName(newName) != newName)
        return Error{.what = "'" + newName + "' cannot be the name of a run",
            .where = "name",
            .accepted = "letters, digits, dots, dashes and underscores, such as '" + folderName(newName) + "'"};
    const std::vector<KnownRun> runs = registry.list();
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const KnownRun &one) { return one.name == name; });
    if (run == runs.end())
        return Error{.what = "there is no run '" + name + "'", .where = registry.folder().string()};
    if (name == newName)
        return run->directory;
    if (!isTerminal(run->status.state))
        return Error{.what = "the run '" + name + "' has not ended, so its directory cannot be renamed",
            .where = run->directory.string(),
            .accepted = "a run that has ended"};
    if (const Result<void> moved = moveIntoList(registry, registry.folder() / name, newName); !moved)
        return moved.error();
    std::error_code ignored;
    return fs::canonical(registry.folder() / newName, ignored);
}

bool isArchived(const Labels &labels)
{
    return std::find(labels.tags.begin(), labels.tags.end(), kArchivedTag) != labels.tags.end();
}

Labels withArchived(Labels labels, bool archived)
{
    std::erase(labels.tags, kArchivedTag);
    if (archived)
        labels.tags.emplace_back(kArchivedTag);
    return labels;
}

} // namespace slipway
