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
#include "base/text.h"

namespace slipway {

namespace {

// The files of a run that are followed, and how large the copy of each may become.
struct FollowedFile {
    const char *name;
    Bytes most;
};
constexpr std::array kFollowed{FollowedFile{"metrics.jsonl", 4 * kGiB}, FollowedFile{"events.jsonl", 256 * kMiB},
    FollowedFile{"out.log", 4 * kGiB}, FollowedFile{"err.log", 256 * kMiB}, FollowedFile{"script.log", 4 * kGiB},
    FollowedFile{"script.kept", kGiB},
    FollowedFile{"script.times", 256 * kMiB}}; // after the logs, so that the lines that it describes have arrived
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
    explicit CopyFile(const std::filesystem::path &path) : m_path(path), m_file(openPrivateFile(path, O_RDWR | O_CREAT))
    {
    }
    [[nodiscard]] Result<void> opened() const { return m_file ? Result<void>() : Result<void>(m_file.error()); }
    // The last `count` bytes before `size`.
    [[nodiscard]] std::string last(std::int64_t size, std::int64_t count) const
    {
        std::string text(static_cast<std::size_t>(count), '\0');
        return ::pread(m_file->get(), text.data(), text.size(), size - count) == static_cast<ssize_t>(text.size())
                   ? text
                   : std::string();
    }
    Result<void> write(std::int64_t at, std::string_view bytes) const
    {
        if (at == 0 && ::ftruncate(m_file->get(), 0) != 0)
            return writeError(m_path, errno);
        while (!bytes.empty()) {
            const ssize_t count = ::pwrite(m_file->get(), bytes.data(), bytes.size(), at);
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
    Result<FileDescriptor> m_file;
};

Result<TakenParts> takePart(const RunPaths &paths, const FilePart &part, Bytes most)
{
    const std::filesystem::path path = paths.directory / part.name;
    const CopyFile file(path);
    if (const Result<void> opened = file.opened(); !opened)
        return opened.error();
    const std::int64_t here = sizeOf(path);
    const std::int64_t overlap = std::min(here, kOverlap);
    const std::string known = file.last(here, overlap);
    const bool continues = part.from == here - overlap && part.bytes.starts_with(known);
    if (!continues && part.from != 0) { // a different file than before: the next query reads it from its start
        if (const Result<void> emptied = file.write(0, {}); !emptied)
            return emptied.error();
        return TakenParts{.more = true, .left = {}};
    }
    const std::int64_t at = continues ? here : 0;
    std::string_view bytes = std::string_view(part.bytes).substr(continues ? static_cast<std::size_t>(overlap) : 0);
    const bool full = at + static_cast<std::int64_t>(bytes.size()) > most;
    if (full)
        bytes = bytes.substr(0, static_cast<std::size_t>(std::max<std::int64_t>(0, most - at)));
    if (!bytes.empty() || !continues) {
        if (const Result<void> written = file.write(at, bytes); !written)
            return written.error();
    }
    if (full)
        return TakenParts{.more = false, .left = "the copy of " + part.name + " ends at " + formatBytes(most)};
    return TakenParts{.more = part.size - part.from > static_cast<std::int64_t>(part.bytes.size()), .left = {}};
}

} // namespace

Result<std::optional<CopyLock>> CopyLock::lock(const std::filesystem::path &path, int how)
{
    Result<FileDescriptor> file = openPrivateFile(path, O_RDWR | O_CREAT);
    if (!file)
        return file.error();
    while (::flock(file->get(), how) != 0) {
        if (errno == EWOULDBLOCK)
            return std::optional<CopyLock>();
        if (errno != EINTR)
            return writeError(path, errno);
    }
    return std::optional<CopyLock>(CopyLock(*std::move(file)));
}

Result<CopyLock> CopyLock::acquire(const RunPaths &paths)
{
    Result<std::optional<CopyLock>> taken = lock(paths.directory / "copy.lock", LOCK_EX);
    return taken ? Result<CopyLock>(**std::move(taken)) : Result<CopyLock>(taken.error());
}

Result<std::optional<CopyLock>> CopyLock::tryAcquire(const RunPaths &paths, const char *name)
{
    return lock(paths.directory / name, LOCK_EX | LOCK_NB);
}

std::vector<std::pair<std::string, std::int64_t>> wantedParts(const RunPaths &paths)
{
    std::vector<std::pair<std::string, std::int64_t>> wanted;
    for (const FollowedFile &file : kFollowed)
        wanted.emplace_back(file.name, wantedFrom(paths, file.name));
    return wanted;
}

std::int64_t wantedFrom(const RunPaths &paths, const char *name)
{
    return std::max<std::int64_t>(0, sizeOf(paths.directory / name) - kOverlap);
}

Result<TakenParts> takeParts(const RunPaths &paths, const std::vector<FilePart> &parts)
{
    TakenParts all;
    for (const FilePart &part : parts) {
        const auto followed = std::find_if(
            kFollowed.begin(), kFollowed.end(), [&](const FollowedFile &file) { return part.name == file.name; });
        if (followed == kFollowed.end())
            continue;
        Result<TakenParts> taken = takePart(paths, part, followed->most);
        if (!taken)
            return taken.error();
        all.more = all.more || taken->more;
        if (!taken->left.empty())
            all.left = std::move(taken->left);
    }
    return all;
}

Result<void> copyLaunchFiles(const RunPaths &paths, const RunFacts &facts)
{
    std::error_code ignored;
    if (!facts.exitStatus)
        std::filesystem::remove(paths.exitStatus(), ignored); // of an earlier attempt
    if (facts.process) {
        const ProcessIdentity &process = *facts.process;
        for (const auto &[path, text] : {std::pair(paths.startTime(), process.startTime),
                 std::pair(paths.bootId(), process.bootId), std::pair(paths.directory / "host", process.hostName),
                 std::pair(paths.processGroup(), std::to_string(process.processGroup))}) {
            if (const Result<std::string> there = readPrivateFile(path, 4 * kKiB); there && *there == text + "\n")
                continue;
            if (const Result<void> written = writePrivateFile(path, text + "\n"); !written)
                return written;
        }
    }
    if (facts.exitStatus && !std::filesystem::exists(paths.exitStatus(), ignored))
        return writePrivateFile(paths.exitStatus(), std::to_string(*facts.exitStatus) + "\n");
    return {};
}

} // namespace slipway
