// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is taken from a run directory on a host, and how it gets into the copy here. A host may be hostile: only files
// of these names are taken, only regular ones, and only up to a limit. They arrive in a private folder and are renamed
// into place from there. What Slipway itself keeps in the copy (remote.json, standing.json, labels.json, locks) never
// comes from a host.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "hosts/host.h"

namespace slipway {

struct FetchRules {
    std::vector<std::string> patterns; // names, with * as a shell reads it; files of the folder itself, of none below
    Bytes largestFile = 0;
    Bytes most = 0; // of all files together
    std::size_t files = 0;
    [[nodiscard]] bool accepts(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> rsyncOptions() const;
};
// Reports: tables and documents that a run leaves beside its documented files, which refresh() brings.
FetchRules reportRules();
// Every file of one checkpoint, which takes `bytes` as its host says.
FetchRules checkpointRules(Bytes bytes);

// A folder of 0700 in the copy, into which rsync writes. `kept`: what an earlier fetch left there is used again.
class FetchFolder {
public:
    static Result<FetchFolder> make(const RunPaths &paths, const std::string &name, bool kept);

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    // Why a fetch must end now: more arrives than the rules allow. Empty: it may go on.
    [[nodiscard]] std::optional<std::string> excess(const FetchRules &rules) const;
    // Removes what the rules do not accept. An error where more arrived than they allow.
    Result<void> sift(const FetchRules &rules);
    // Renames each file into that folder, and removes this one.
    Result<void> moveFilesTo(const std::filesystem::path &folder);
    // Renames this folder to that one; what was there goes.
    Result<void> replace(const std::filesystem::path &folder);
    void remove();

private:
    explicit FetchFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
};

} // namespace slipway
