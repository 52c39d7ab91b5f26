// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/listed_run.h"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

// Returns the name of the list's entry, or an empty name if the run is outside the list. An entry can be a link to
// another folder, so its name can differ from the folder's.
std::string entryName(const Registry &registry, const std::string &subject, const fs::path &directory)
{
    std::error_code ignored;
    if (subject.find('/') == std::string::npos && fs::equivalent(registry.folder() / subject, directory, ignored))
        return subject;
    return fs::equivalent(directory.parent_path(), registry.folder(), ignored) ? directory.filename().string()
                                                                               : std::string();
}

} // namespace

Result<RunData> readListedRun(
    const Registry &registry, const std::string &subject, const fs::path &directory, RunReader::Extent extent)
{
    Result<RunData> run = readRun(directory, extent);
    if (run)
        run->name = nameInFolder(run->name, entryName(registry, subject, directory));
    return run;
}

} // namespace slipway::cli
