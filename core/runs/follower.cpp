// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/follower.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace slipway {

namespace {

constexpr std::size_t kTailBytes = 64;
constexpr std::size_t kLongestLine = std::size_t{4} << 20; // a longer one is no line of ours

class OpenFile {
public:
    explicit OpenFile(const std::filesystem::path &path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;
    ~OpenFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    [[nodiscard]] int fd() const { return m_fd; }

    // Up to `count` bytes from `offset` on, fewer at the end of the file, behind what is in `into`; an errno value on
    // failure.
    int read(std::int64_t offset, std::size_t count, std::string &into) const
    {
        const std::size_t before = into.size();
        into.resize(before + count);
        std::size_t filled = 0;
        while (filled < count) {
            const ssize_t got = ::pread(
                m_fd, into.data() + before + filled, count - filled, offset + static_cast<std::int64_t>(filled));
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return errno;
            if (got == 0)
                break;
            filled += static_cast<std::size_t>(got);
        }
        into.resize(before + filled);
        return 0;
    }

private:
    int m_fd;
};

Error readError(const std::filesystem::path &path, int errorNumber)
{
    return {.what = "cannot read: " + systemMessage(errorNumber), .where = path.string(), .fault = Fault::Outside};
}

} // namespace

Result<FollowedBytes> FileFollower::poll(Bytes limit, std::string into)
{
    FollowedBytes result{.bytes = std::move(into)};
    const std::size_t before = result.bytes.size();
    const OpenFile file(m_path);
    if (file.fd() < 0) {
        if (errno == ENOENT)
            return result; // not written yet, or between two names of a replaced file
        return readError(m_path, errno);
    }
    struct stat status{};
    if (::fstat(file.fd(), &status) != 0)
        return readError(m_path, errno);
    if (S_ISDIR(status.st_mode))
        return readError(m_path, EISDIR);

    if (m_offset > 0) {
        std::string tail;
        bool same = status.st_dev == m_device && status.st_ino == m_inode && status.st_size >= m_offset;
        if (same) {
            const auto tailBytes = static_cast<std::int64_t>(m_tail.size());
            if (const int failure = file.read(m_offset - tailBytes, m_tail.size(), tail))
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
    if (wanted > 0) {
        if (const int failure = file.read(m_offset, static_cast<std::size_t>(wanted), result.bytes))
            return readError(m_path, failure);
    }
    const std::string_view fresh = std::string_view(result.bytes).substr(before);
    m_offset += static_cast<std::int64_t>(fresh.size());
    result.more = wanted < available;
    result.left = available - wanted;
    m_tail += fresh.substr(fresh.size() - std::min(fresh.size(), kTailBytes));
    if (m_tail.size() > kTailBytes)
        m_tail.erase(0, m_tail.size() - kTailBytes);
    return result;
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
    const std::size_t end = text.rfind('\n') + 1; // 0: none
    // Only so much of an endless line is kept: enough for its reader to refuse it.
    m_partial.assign(text, end, kLongestLine);
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
