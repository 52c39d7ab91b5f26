// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace slipway {

namespace {

constexpr std::size_t kGathered = 1 << 20; // bytes

// 0, or the errno of the failure.
int writeAt(int fd, std::span<const std::byte> data, Bytes offset)
{
    while (!data.empty()) {
        const ssize_t written = ::pwrite(fd, data.data(), data.size(), offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        data = data.subspan(static_cast<std::size_t>(written));
        offset += written;
    }
    return 0;
}

} // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path &path, FileAccess access)
{
    OutputFile file;
    file.m_path = path;
    // The name is unpredictable, so that no one else can create a link with it first.
    std::random_device random;
    file.m_temporary = fmt::format("{}.tmp{:08x}{:08x}", path.string(), random(), random());
    const mode_t mode = access == FileAccess::Private ? 0600 : 0666;
    file.m_file =
        FileDescriptor(::open(file.m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.m_file)
        return Error{.what = "cannot create: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
    return file;
}

std::filesystem::path OutputFile::unfinishedName(const std::filesystem::path &path) { return path.string() + ".part"; }

Result<OutputFile> OutputFile::unfinished(const std::filesystem::path &path, Bytes size)
{
    OutputFile file;
    file.m_path = path;
    file.m_temporary = unfinishedName(path).string();
    FileDescriptor opened(
        ::open(file.m_temporary.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666));
    if (!opened)
        return file.failure(errno);
    struct stat there{}, named{};
    if (::fstat(opened.get(), &there) != 0)
        return file.failure(errno);
    if (!S_ISREG(there.st_mode) || there.st_nlink > 1 || there.st_uid != ::geteuid())
        return Error{.what = "is not a file that an earlier command of this user left",
            .where = file.m_temporary.string(),
            .accepted = "no such file",
            .fault = Fault::Outside};
    // The process that held the lock before may have renamed the file to its final name.
    if (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0 || ::stat(file.m_temporary.c_str(), &named) != 0 ||
        named.st_ino != there.st_ino)
        return Error{.what = "is written by another process",
            .where = file.m_temporary.string(),
            .accepted = "another folder, or this one when that process has ended",
            .fault = Fault::Outside};
    if (there.st_size < size)
        return Error{.what = "has only " + std::to_string(there.st_size) + " of " + std::to_string(size) + " bytes",
            .where = file.m_temporary.string(),
            .fault = Fault::Damaged};
    file.m_file = std::move(opened);
    if (::ftruncate(file.m_file.get(), size) != 0)
        return file.failure(errno);
    file.m_size = size;
    return file;
}

OutputFile::~OutputFile()
{
    if (m_file)
        ::unlink(m_temporary.c_str());
}

Error OutputFile::failure(int errorNumber) const
{
    return {.what = "cannot write: " + systemMessage(errorNumber), .where = m_path.string(), .fault = Fault::Outside};
}

Result<void> OutputFile::append(std::span<const std::byte> data)
{
    if (m_pending.size() + data.size() >= kGathered) {
        if (Result<void> flushed = flush(); !flushed)
            return flushed;
    }
    if (data.size() < kGathered)
        m_pending.insert(m_pending.end(), data.begin(), data.end());
    else if (const int error = writeAt(m_file.get(), data, m_size); error != 0)
        return failure(error);
    m_size += static_cast<Bytes>(data.size());
    return {};
}

Result<void> OutputFile::flush()
{
    const Bytes start = m_size - static_cast<Bytes>(m_pending.size());
    if (const int error = writeAt(m_file.get(), m_pending, start); error != 0)
        return failure(error);
    m_pending.clear();
    return {};
}

Result<void> OutputFile::overwrite(Bytes offset, std::span<const std::byte> data)
{
    if (Result<void> flushed = flush(); !flushed)
        return flushed;
    if (const int error = writeAt(m_file.get(), data, offset); error != 0)
        return failure(error);
    return {};
}

Result<void> OutputFile::sync()
{
    if (Result<void> flushed = flush(); !flushed)
        return flushed;
    return ::fsync(m_file.get()) == 0 ? Result<void>() : failure(errno);
}

Result<void> OutputFile::commit()
{
    if (Result<void> synced = sync(); !synced)
        return synced;
    const int closed = m_file.close();
    const int error = closed != 0 || ::rename(m_temporary.c_str(), m_path.c_str()) != 0 ? errno : 0;
    if (error != 0) {
        ::unlink(m_temporary.c_str());
        return failure(error);
    }
    syncFolder(m_path.has_parent_path() ? m_path.parent_path() : ".");
    return {};
}

void syncFolder(const std::filesystem::path &folder)
{
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    ::fsync(fd);
    ::close(fd);
}

} // namespace slipway
