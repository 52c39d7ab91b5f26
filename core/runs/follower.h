// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Follows a file that another program appends to, by byte offset: no line is lost, doubled or handed out half. Of a
// line over kMaxJsonLine (base/json.h) only so much is kept that its reader can refuse it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct FollowedBytes {
    std::string bytes;
    bool restarted =
        false;         // the file was truncated or replaced: what was read before is void, `bytes` is from its start
    bool more = false; // the limit was reached; poll again
    Bytes left = 0;    // behind it
    Bytes skipped = 0; // before `bytes`, by pollEnd
};

class FileFollower {
public:
    explicit FileFollower(std::filesystem::path path) : m_path(std::move(path)) {}

    // What was appended since the last call, behind what `into` holds; nothing where the file does not exist yet. Who
    // reads much hands the memory of an earlier call in again: clearing fresh pages costs more than reading.
    Result<FollowedBytes> poll(Bytes limit = 8 * kMiB, std::string into = {});
    // The same, but where more than `limit` was appended only the last `limit` bytes of it: a view of a log that grows
    // faster than it is read stays at its end.
    Result<FollowedBytes> pollEnd(Bytes limit);
    [[nodiscard]] std::int64_t offset() const { return m_offset; }

private:
    Result<FollowedBytes> read(Bytes limit, bool skips, std::string into);

    std::filesystem::path m_path;
    std::int64_t m_offset = 0;
    std::uint64_t m_device = 0, m_inode = 0;
    std::string
        m_tail; // the last bytes read: a file that was rewritten and has grown past the offset does not hold them
};

struct FollowedLines {
    std::vector<std::string> lines; // whole lines, without their ends
    bool restarted = false;
    bool more = false;
};

class LineFollower {
public:
    explicit LineFollower(std::filesystem::path path) : m_file(std::move(path)) {}

    Result<FollowedLines> poll(Bytes limit = 8 * kMiB);
    // The same lines as one text, each with its end: what a reader of many lines cuts by itself. In the memory of
    // `reuse`.
    Result<FollowedBytes> pollText(Bytes limit = 8 * kMiB, std::string reuse = {});
    // The begun line that has no end yet: being written, or cut by a crash.
    [[nodiscard]] const std::string &partial() const { return m_partial; }

private:
    FileFollower m_file;
    std::string m_partial;
};

} // namespace slipway
