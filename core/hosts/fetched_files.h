// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rules for copying files from a run directory on a host into the local copy. A host may be malicious: only regular
// files with the listed names are accepted, up to a size limit. They are received in a private folder and then renamed
// into place. Files that Slipway itself stores in the copy (remote.json, standing.json, labels.json, locks) are never
// accepted from a host.
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

// The largest size that is taken from a host's answer, for one file and for a sum. No disk has room for it.
inline constexpr Bytes kLargestFetch = Bytes{1} << 50;
// The sum, or kLargestFetch: the sizes that a host sends may exceed any integer together.
inline Bytes addSize(Bytes sum, Bytes size) { return size < kLargestFetch - sum ? sum + size : kLargestFetch; }

// An error if the disk of the folder has less than `needed` free.
Result<void> checkSpace(const std::filesystem::path &folder, Bytes needed);

struct FetchRules {
    std::vector<std::string> patterns; // file names, with * as in a shell; only files directly in the folder match
    Bytes largestFile = 0;
    Bytes most = 0; // limit on the size of all files together
    std::size_t files = 0;
    [[nodiscard]] bool accepts(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> rsyncOptions() const;
};
// Tables and documents that a run leaves in addition to its documented files, which refresh() copies.
FetchRules smallFileRules();
// All files of one checkpoint, whose size is `bytes` according to the host.
FetchRules checkpointRules(Bytes bytes);

// A folder of mode 0700 in the copy, into which rsync writes. `kept`: files that an earlier fetch left there are
// reused.
class FetchFolder {
public:
    static Result<FetchFolder> make(const RunPaths &paths, const std::string &name, bool kept);

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    struct Content {
        Bytes bytes = 0; // on the disk, or the apparent size if it is larger
        std::size_t files = 0;
    };
    [[nodiscard]] Content content() const;
    // Why the fetch must be aborted: more has arrived than the rules allow. Empty: it may continue.
    [[nodiscard]] static std::optional<std::string> excess(const FetchRules &rules, const Content &content);
    // Removes files that the rules do not accept. An error if more has arrived than they allow.
    Result<void> applyRules(const FetchRules &rules);
    // Moves each file into `folder` by renaming, and removes this folder.
    Result<void> moveFilesTo(const std::filesystem::path &folder);
    // Renames this folder to `folder`, whose previous contents are removed.
    Result<void> replace(const std::filesystem::path &folder);
    void remove();

private:
    explicit FetchFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
};

} // namespace slipway
