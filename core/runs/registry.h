// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The runs that are known here: one folder whose entries are run directories, or links to those that lie elsewhere.
// There is no index beside it that could be lost or disagree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/liveness.h"

namespace slipway {

struct KnownRun {
    std::string name;                        // of its entry: what commands call it
    std::filesystem::path directory;         // where it really lies
    std::filesystem::file_time_type changed; // of its newest file
    RunStanding standing;
};

// A folder's name: letters, digits, dots, dashes and underscores of the given name, never hidden or empty.
std::string folderName(const std::string &name);
// The name of the configuration, `title`, while the run lies where it was launched: in "my-run" or "my-run-2". A person
// named any other folder.
std::string nameInFolder(const std::string &title, const std::string &folder);

class Registry {
public:
    // userDataPath("runs"); empty without a home folder, where no run is known and none can be made.
    static std::filesystem::path defaultFolder();

    explicit Registry(std::filesystem::path folder = defaultFolder()) : m_folder(std::move(folder)) {}

    // A new, empty folder for a run: NAME, else NAME-2, NAME-3 ... Made by mkdir, so that two launches never share one.
    Result<std::filesystem::path> create(const std::string &name) const;
    // The folder that create would make now; makes nothing.
    [[nodiscard]] std::filesystem::path next(const std::string &name) const;
    // Makes a directory elsewhere known. Adding it twice is no error.
    Result<void> add(const std::filesystem::path &directory) const;
    // Newest first. What cannot be read is left out; a missing folder is an empty list.
    [[nodiscard]] std::vector<KnownRun> list() const;
    // A run's name, or a directory that holds a run. The error names the nearest known one.
    [[nodiscard]] Result<std::filesystem::path> find(const std::string &nameOrDirectory) const;

    [[nodiscard]] const std::filesystem::path &folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
};

} // namespace slipway
