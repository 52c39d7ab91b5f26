// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/follower.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/json.h"

namespace slipway {

namespace {

constexpr std::size_t kTailBytes = 64;
constexpr Bytes kLongLine = 64 * kMiB; // no program writes a line of this length
constexpr std::size_t kKeptOfLine = static_cast<std::size_t>(kMaxJsonLine) + 1; // enough to refuse a longer line

Error readError(const std::filesystem::path &path, int errorNumber)
{
    return {.what = "cannot read: " + systemMessage(errorNumber), .where = path.string(), .fault = Fault::Outside};
}

} // namespace

Result<FollowedBytes> FileFollower::poll(Bytes limit, std::string into) { return read(limit, false, std::move(into)); }

Result<FollowedBytes> FileFollower::pollEnd(Bytes limit) { return read(limit, true, {}); }

Result<FollowedBytes> FileFollower::read(Bytes limit, bool skips, std::string into)
{
    FollowedBytes result{.bytes = std::move(into)};
    const std::size_t before = result.bytes.size();
    const Result<FileDescriptor> file = openPrivateFile(m_path, O_RDONLY);
    if (!file) {
        if (file.error().fault == Fault::Input)
            return result; // not written yet, or just being replaced
        return file.error();
    }
    struct stat status{};
    if (::fstat(file->get(), &status) != 0)
        return readError(m_path, errno);

    if (m_offset > 0) {
        std::string tail;
        bool same = status.st_dev == m_device && status.st_ino == m_inode && status.st_size >= m_offset;
        if (same) {
            const auto tailBytes = static_cast<std::int64_t>(m_tail.size());
            if (const int failure = readAt(*file, m_offset - tailBytes, m_tail.size(), tail))
                return readError(m_path, failure);
            same = tail == m_tail;
        }
        if (!same) {
            result.restarted = true;
            m_offset = 0;
            m_tail.clear();
        }
    }
    m_device = status.st_dev;
    m_inode = status.st_ino;

    const std::int64_t available = status.st_size - m_offset;
    const std::int64_t wanted = std::min<std::int64_t>(available, limit);
    if (skips && available > limit) {
        result.skipped = available - limit;
        m_offset += result.skipped;
    }
    if (wanted > 0) {
        if (const int failure = readAt(*file, m_offset, static_cast<std::size_t>(wanted), result.bytes))
            return readError(m_path, failure);
    }
    const std::string_view fresh = std::string_view(result.bytes).substr(before);
    m_offset += static_cast<std::int64_t>(fresh.size());
    result.left = available - result.skipped - wanted;
    result.more = result.left > 0;
    if (result.skipped > 0)
        m_tail.clear();
    m_tail += fresh.substr(fresh.size() - std::min(fresh.size(), kTailBytes));
    if (m_tail.size() > kTailBytes)
        m_tail.erase(0, m_tail.size() - kTailBytes);
    return result;
}

// Called only within a line that no program writes: elsewhere, a file system may report data that it has not written
// yet as a hole.
void FileFollower::skipHole()
{
    const Result<FileDescriptor> file = openPrivateFile(m_path, O_RDONLY);
    if (!file)
        return;
    off_t data = ::lseek(file->get(), m_offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) // there is only a hole up to the end
        data = ::lseek(file->get(), 0, SEEK_END);
    if (data <= m_offset) // or the file system does not say where its holes are
        return;
    m_offset = data;
    m_tail.clear();
}

Result<FollowedBytes> LineFollower::pollText(Bytes limit, std::string reuse)
{
    reuse = m_partial;
    Result<FollowedBytes> read = m_file.poll(limit, std::move(reuse));
    if (!read)
        return read.error();
    std::string &text = read->bytes;
    if (read->restarted)
        text.erase(0, m_partial.size());
    const std::size_t end = text.rfind('\n') + 1; // 0: there is no complete line
    const bool continues = end == 0 && !read->restarted;
    m_partialBytes =
        static_cast<Bytes>(text.size() - end) + (continues ? m_partialBytes - static_cast<Bytes>(m_partial.size()) : 0);
    if (m_partialBytes > kLongLine)
        m_file.skipHole();
    // Only this much of an endless line is kept. It is enough for its reader to refuse the line.
    m_partial.assign(text, end, kKeptOfLine);
    text.resize(end);
    return read;
}

Result<FollowedLines> LineFollower::poll(Bytes limit)
{
    const Result<FollowedBytes> text = pollText(limit);
    if (!text)
        return text.error();
    FollowedLines result{.restarted = text->restarted, .more = text->more};
    std::string_view rest = text->bytes;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        result.lines.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    return result;
}

} // namespace slipway
