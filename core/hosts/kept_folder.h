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

inline constexpr Seconds kEntrySettles = 10; // without a change

// A file or a folder right below the folder, with the files in it.
struct FolderEntry {
    struct File {
        std::string folder; // below the entry: "", "rank0/shards"; of an entry that is a file: ""
        std::string name;
        Bytes size = 0;
        bool operator==(const File &) const = default;
    };
    std::string name;
    bool isFile = false;
    std::vector<File> files;
    std::string stamp;  // differs when a file has changed
    double changed = 0; // when one last did, by the clock there
    bool operator==(const FolderEntry &) const = default;
};

struct FolderThere {
    std::string path; // absolute
    double now = 0;   // by the clock there
    std::map<std::string, FolderEntry> entries;
};

// Prints the folder's path, then "SECONDS SIZE PATH" of each file, then the time. Records end in NUL.
extern const char *const listFolderScript;
// Makes the folder and prints its path.
extern const char *const makeFolderScript;
// A host says it: names that hide or lead elsewhere are left out, and too many are refused.
Result<FolderThere> parseFolder(const std::string &output, const std::string &where);

// Stamps of the entries that were copied, by name.
std::map<std::string, std::string> keptStamps(const RunPaths &paths);
Result<void> writeKeptStamps(const RunPaths &paths, const std::map<std::string, std::string> &stamps);
// Entries that have not changed for so long, and are not here yet.
std::vector<FolderEntry> entriesToTake(
    const FolderThere &there, const std::map<std::string, std::string> &stamps, Seconds settled);
// How long an entry must not have changed: nobody writes after the end that the script itself has come to.
Seconds settlingTime(const RunPaths &paths);
// Removes the copies of what is gone there.
void dropGoneEntries(const RunPaths &paths, const FolderThere &there, std::map<std::string, std::string> &stamps);

// The same for a script on this machine.
Result<bool> takeFolderHere(const RunPaths &paths, const std::string &workdir, const std::string &folder);
Result<void> bringFolderHere(const RunPaths &paths, const std::string &workdir, const std::string &folder);

} // namespace slipway
