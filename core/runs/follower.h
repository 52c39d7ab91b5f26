// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Follows a file that another program appends to, by byte offset. No line is lost, repeated or returned partially. Of a
// line longer than kMaxJsonLine (base/json.h), only enough is kept for its reader to reject it.
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
        false;         // the file was truncated or replaced: earlier bytes are invalid, and `bytes` is from its start
    bool more = false; // the limit was reached; poll again
    Bytes left = 0;    // bytes after `bytes`
    Bytes skipped = 0; // bytes before `bytes` that pollEnd skipped
};

class FileFollower {
public:
    explicit FileFollower(std::filesystem::path path) : m_path(std::move(path)) {}

    // Appends the bytes that were added since the last call to `into` and returns it; nothing is added if the file does
    // not exist yet. To read large files, pass the buffer of an earlier call again, because zeroing fresh pages takes
    // longer than reading.
    Result<FollowedBytes> poll(Bytes limit = 8 * kMiB, std::string into = {});
    // The same, but if more than `limit` bytes were added, returns only the last `limit` of them, so that a view of a
    // log that grows faster than it can be read stays at the end of the log.
    Result<FollowedBytes> pollEnd(Bytes limit);
    // Continues after the hole of a sparse file at the offset, if there is one. A hole reads as zeros and takes no
    // space, so a file of any size can be made of it.
    void skipHole();
    [[nodiscard]] std::int64_t offset() const { return m_offset; }

private:
    Result<FollowedBytes> read(Bytes limit, bool skips, std::string into);

    std::filesystem::path m_path;
    std::int64_t m_offset = 0;
    std::uint64_t m_device = 0, m_inode = 0;
    std::string
        m_tail; // the last bytes read, which detect a file that was rewritten and is already longer than the offset
};

struct FollowedLines {
    std::vector<std::string> lines; // complete lines, without line ends
    bool restarted = false;
    bool more = false;
};

class LineFollower {
public:
    explicit LineFollower(std::filesystem::path path) : m_file(std::move(path)) {}

    Result<FollowedLines> poll(Bytes limit = 8 * kMiB);
    // Returns the same lines as one text with line ends, for readers of many lines that split it themselves. Reuses the
    // memory of `reuse`.
    Result<FollowedBytes> pollText(Bytes limit = 8 * kMiB, std::string reuse = {});
    // The incomplete last line: it is being written, or a crash cut it off.
    [[nodiscard]] const std::string &partial() const { return m_partial; }

private:
    FileFollower m_file;
    std::string m_partial;
    Bytes m_partialBytes = 0; // of the incomplete last line, also those that m_partial does not keep
};

} // namespace slipway
