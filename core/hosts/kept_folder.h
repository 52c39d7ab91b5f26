// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The folder into which another training script writes its checkpoints. Scripts do not mark complete checkpoints, so an
// entry counts as complete if its files have not changed for some time, nor while they were copied.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "runs/run_directory.h"

namespace slipway {

inline constexpr Seconds kEntrySettles = 10; // seconds without a change

// A file or folder directly in the checkpoint folder, with the files that it contains.
struct FolderEntry {
    struct File {
        std::string folder; // folder relative to the entry: "", "rank0/shards"; "" if the entry is a file
        std::string name;
        Bytes size = 0;
        bool operator==(const File &) const = default;
    };
    std::string name;
    bool isFile = false;
    std::vector<File> files;
    std::string stamp;  // differs if a file has changed
    double changed = 0; // time of the last change, by the host's clock
    bool operator==(const FolderEntry &) const = default;
};

struct RemoteFolder {
    std::string path; // absolute
    double now = 0;   // current time of the host's clock
    std::map<std::string, FolderEntry> entries;
};

// Shell script that prints the path of the folder, then "SECONDS SIZE PATH" for each file, then the time. Records end
// with NUL.
extern const char *const listFolderScript;
// Shell script that creates the folder and prints its path.
extern const char *const makeFolderScript;
// Parses output that a host sent: hidden names and names with a path to elsewhere are left out, and too many entries
// are an error.
Result<RemoteFolder> parseFolder(const std::string &output, const std::string &where);

// The stamps of the entries that were copied, by entry name.
std::map<std::string, std::string> keptStamps(const RunPaths &paths);
Result<void> writeKeptStamps(const RunPaths &paths, const std::map<std::string, std::string> &stamps);
// The entries that have not changed for `settled` seconds and have not been copied.
std::vector<FolderEntry> entriesToTake(
    const RemoteFolder &there, const std::map<std::string, std::string> &stamps, Seconds settled);
// How long an entry must be unchanged to count as complete: 0 once the script itself has ended, because nothing is
// written after that.
Seconds settlingTime(const RunPaths &paths);
// Removes the copies of entries that no longer exist on the host.
void dropGoneEntries(const RunPaths &paths, const RemoteFolder &there, std::map<std::string, std::string> &stamps);

// The same two actions for a script on this machine.
Result<bool> copyCheckpoints(const RunPaths &paths, const std::string &workdir, const std::string &folder);
Result<void> copyFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder);

} // namespace slipway
