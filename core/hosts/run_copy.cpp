// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/run_copy.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace slipway {

namespace {

constexpr std::array<const char *, 4> kFollowed{"metrics.jsonl", "events.jsonl", "out.log", "err.log"};
constexpr std::int64_t kOverlap = 64;

Error writeError(const std::filesystem::path &path, int errorNumber)
{
    return {.what = "the copy of the run cannot be written: " + systemMessage(errorNumber),
        .where = path.string(),
        .fault = Fault::Outside};
}

std::int64_t sizeOf(const std::filesystem::path &path)
{
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    return failure ? 0 : static_cast<std::int64_t>(size);
}

// An open file of the copy.
class CopyFile {
public:
    explicit CopyFile(const std::filesystem::path &path)
        : m_path(path),
          m_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644))
    {
    }
    CopyFile(const CopyFile &) = delete;
    CopyFile &operator=(const CopyFile &) = delete;
    ~CopyFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    // The bytes before the end, as many as `count`.
    [[nodiscard]] std::string last(std::int64_t size, std::int64_t count) const
    {
        std::string text(static_cast<std::size_t>(count), '\0');
        return ::pread(m_fd, text.data(), text.size(), size - count) == static_cast<ssize_t>(text.size())
                   ? text
                   : std::string();
    }
    Result<void> write(std::int64_t at, std::string_view bytes) const
    {
        if (at == 0 && ::ftruncate(m_fd, 0) != 0)
            return writeError(m_path, errno);
        while (!bytes.empty()) {
            const ssize_t count = ::pwrite(m_fd, bytes.data(), bytes.size(), at);
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0)
                return writeError(m_path, errno);
            at += count;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return {};
    }

private:
    const std::filesystem::path &m_path;
    int m_fd;
};

Result<bool> takePart(const RunPaths &paths, const FilePart &part)
{
    const std::filesystem::path path = paths.directory / part.name;
    const CopyFile file(path);
    if (!file.isOpen())
        return writeError(path, errno);
    const std::int64_t here = sizeOf(path);
    const std::int64_t overlap = std::min(here, kOverlap);
    const std::string known = file.last(here, overlap);
    const bool goesOn = part.from == here - overlap && part.bytes.starts_with(known);
    if (!goesOn && part.from != 0) { // another file than the one that was followed: from its start, at the next look
        if (const Result<void> emptied = file.write(0, {}); !emptied)
            return emptied.error();
        return true;
    }
    const std::int64_t at = goesOn ? here : 0;
    const std::string_view bytes = std::string_view(part.bytes).substr(goesOn ? static_cast<std::size_t>(overlap) : 0);
    if (!bytes.empty() || !goesOn) {
        if (const Result<void> written = file.write(at, bytes); !written)
            return written.error();
    }
    return part.from + static_cast<std::int64_t>(part.bytes.size()) < part.size;
}

} // namespace

Result<int> CopyLock::lock(const RunPaths &paths, int how)
{
    const std::filesystem::path path = paths.directory / "copy.lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return writeError(path, errno);
    while (::flock(fd, how) != 0) {
        if (errno == EINTR)
            continue;
        const int failure = errno;
        ::close(fd);
        return failure == EWOULDBLOCK ? Result<int>(-1) : Result<int>(writeError(path, failure));
    }
    return fd;
}

Result<CopyLock> CopyLock::take(const RunPaths &paths)
{
    const Result<int> fd = lock(paths, LOCK_EX);
    return fd ? Result<CopyLock>(CopyLock(*fd)) : Result<CopyLock>(fd.error());
}

Result<std::optional<CopyLock>> CopyLock::tryTake(const RunPaths &paths)
{
    const Result<int> fd = lock(paths, LOCK_EX | LOCK_NB);
    if (!fd)
        return fd.error();
    return *fd < 0 ? std::optional<CopyLock>() : std::optional<CopyLock>(CopyLock(*fd));
}

CopyLock::~CopyLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

std::vector<std::pair<std::string, std::int64_t>> wantedParts(const RunPaths &paths)
{
    std::vector<std::pair<std::string, std::int64_t>> wanted;
    for (const char *name : kFollowed)
        wanted.emplace_back(name, std::max<std::int64_t>(0, sizeOf(paths.directory / name) - kOverlap));
    return wanted;
}

Result<bool> takeParts(const RunPaths &paths, const std::vector<FilePart> &parts)
{
    bool more = false;
    for (const FilePart &part : parts) {
        if (std::find(kFollowed.begin(), kFollowed.end(), part.name) == kFollowed.end())
            continue;
        const Result<bool> taken = takePart(paths, part);
        if (!taken)
            return taken.error();
        more = more || *taken;
    }
    return more;
}

Result<void> takeMark(const RunPaths &paths, const RunTraces &traces)
{
    std::error_code ignored;
    if (!traces.exitStatus)
        std::filesystem::remove(paths.exitStatus(), ignored); // of an earlier attempt
    if (traces.mark) {
        const ProcessMark &mark = *traces.mark;
        for (const auto &[path, text] : {std::pair(paths.startTime(), mark.startTime),
                 std::pair(paths.bootId(), mark.bootId), std::pair(paths.directory / "host", mark.hostName),
                 std::pair(paths.processGroup(), std::to_string(mark.processGroup))}) {
            if (const Result<std::string> there = readFile(path); there && *there == text + "\n")
                continue;
            if (const Result<void> written = writeFileAtomically(path, text + "\n"); !written)
                return written;
        }
    }
    if (traces.exitStatus && !std::filesystem::exists(paths.exitStatus(), ignored))
        return writeFileAtomically(paths.exitStatus(), std::to_string(*traces.exitStatus) + "\n");
    return {};
}

} // namespace slipway
