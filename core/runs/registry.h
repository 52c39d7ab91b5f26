// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The known runs: one folder whose entries are run directories, or links to run directories elsewhere. There is no
// separate index that could be lost or become inconsistent.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/liveness.h"

namespace slipway {

struct KnownRun {
    std::string name;                        // name of the entry, by which commands refer to the run
    std::filesystem::path directory;         // actual path, with links resolved
    std::filesystem::file_time_type changed; // of the latest file in it
    RunStatus status;
};

// Converts a name to a folder name: letters, digits, dots, dashes and underscores, never hidden or empty.
std::string folderName(const std::string &name);
// The name in the configuration, `title`, if the run is still in the folder of its launch, "my-run". A later run of the
// same name, in "my-run-2", has its number. Any other folder name was chosen by a user and is returned instead.
std::string nameInFolder(const std::string &title, const std::string &folder);

class Registry {
public:
    // userDataPath("runs"); empty if there is no home folder, in which case no run is known and none can be created.
    static std::filesystem::path defaultFolder();

    explicit Registry(std::filesystem::path folder = defaultFolder()) : m_folder(std::move(folder)) {}

    // Creates a new, empty folder for a run: NAME, else NAME-2, NAME-3 and so on. mkdir ensures that two launches never
    // get the same folder.
    Result<std::filesystem::path> create(const std::string &name) const;
    // The folder that create would create now.
    [[nodiscard]] std::filesystem::path next(const std::string &name) const;
    // Adds a run directory elsewhere to the registry. Adding it twice is not an error.
    Result<void> add(const std::filesystem::path &directory) const;
    // All runs, latest first. Unreadable entries are left out; a missing folder is an empty list.
    [[nodiscard]] std::vector<KnownRun> list() const;
    // Finds a run by its name, or by a directory that contains a run. The error names the nearest known run.
    [[nodiscard]] Result<std::filesystem::path> find(const std::string &nameOrDirectory) const;

    [[nodiscard]] const std::filesystem::path &folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
};

} // namespace slipway
