// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/read_failures.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivateFile = 0600, kPrivateFolder = 0700;

Error outside(const fs::path &path, const char *action, int errorNumber)
{
    return {.what = std::string("cannot ") + action + ": " + systemMessage(errorNumber),
        .where = path.string(),
        .fault = Fault::Outside};
}

bool isMissing(int errorNumber) { return errorNumber == ENOENT || errorNumber == ENOTDIR; }

Error openError(const fs::path &path, int errorNumber)
{
    Error error = outside(path, "open", errorNumber);
    if (isMissing(errorNumber) || errorNumber == ENAMETOOLONG || errorNumber == ELOOP)
        error.fault = Fault::Input; // a name that the user gave
    return error;
}

Error notRegular(const fs::path &path, const char *kind)
{
    return {.what = std::string("is ") + kind,
        .where = path.string(),
        .accepted = "a regular file",
        .fault = Fault::Outside};
}

const char *kindOf(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

int openAgain(const fs::path &path, int flags, mode_t mode = 0)
{
    int fd = -1;
    do
        fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && (flags & O_ACCMODE) == O_RDONLY) {
        const int errorNumber = errno;
        noteReadFailure(path, errorNumber);
        errno = errorNumber;
    }
    return fd;
}

int writeAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int syncAgain(int fd)
{
    int outcome = 0;
    do
        outcome = ::fsync(fd);
    while (outcome != 0 && errno == EINTR);
    return outcome == 0 ? 0 : errno;
}

Error tooLarge(const fs::path &path, Bytes limit)
{
    return {.what = "is larger than " + std::to_string(limit) + " bytes", .where = path.string()};
}

Result<std::string> readAll(int fd, const fs::path &path, Bytes limit)
{
    std::string content;
    struct stat status{};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > limit)
        return tooLarge(path, limit);
    char chunk[65536];
    for (;;) {
        const ssize_t count = ::read(fd, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            Error error = outside(path, "read", errno);
            if (errno == EISDIR)
                error.fault = Fault::Input;
            return error;
        }
        if (count == 0)
            return content;
        content.append(chunk, static_cast<std::size_t>(count));
        if (static_cast<Bytes>(content.size()) > limit)
            return tooLarge(path, limit);
    }
}

Result<void> writeInPlace(const fs::path &path, std::string_view content)
{
    const FileDescriptor file(openAgain(path, O_WRONLY));
    if (!file)
        return outside(path, "open", errno);
    const int failure = writeAll(file.get(), content);
    return failure == 0 ? Result<void>() : outside(path, "write", failure);
}

constexpr const char *kTemporary = ".tmp";
constexpr std::size_t kTemporaryDigits = 16;

// A random name in the folder of `path`, which no other process can guess and take first.
fs::path temporaryNameFor(const fs::path &path)
{
    std::random_device random;
    char suffix[32];
    std::snprintf(suffix, sizeof suffix, "%08x%08x", static_cast<unsigned>(random()), static_cast<unsigned>(random()));
    return path.string() + kTemporary + suffix;
}

// Every temporary file is locked by its writer, so one without a lock was left by a writer that was killed.
void removeAbandoned(const fs::path &path)
{
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::string prefix = path.filename().string() + kTemporary;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(prefix) || name.size() != prefix.size() + kTemporaryDigits ||
            name.find_first_not_of("0123456789abcdef", prefix.size()) != std::string::npos)
            continue;
        const FileDescriptor file(openAgain(entry->path(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
        if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0)
            ::unlink(entry->path().c_str());
    }
}

// Creates a locked file in the folder of `path`. Without a descriptor, errno says why. If another process removed the
// file as abandoned before it was locked, another file is created.
TemporaryFile makeTemporary(const fs::path &path, mode_t mode)
{
    constexpr int kTries = 10;
    TemporaryFile made;
    for (int tries = 0; tries < kTries; ++tries) {
        made.path = temporaryNameFor(path);
        made.file = FileDescriptor(openAgain(made.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
        if (!made.file)
            return made;
        struct stat status{};
        const bool taken = ::flock(made.file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && (::fstat(made.file.get(), &status) != 0 || status.st_nlink > 0))
            return made; // a file system without locks refuses them to everybody
        ::unlink(made.path.c_str());
    }
    return made;
}

// Some file systems cannot sync a folder, and say so by these; the rename has happened all the same.
bool cannotSyncFolders(int errorNumber)
{
    return errorNumber == EINVAL || errorNumber == ENOTSUP || errorNumber == ENOSYS || errorNumber == EBADF;
}

// `folder` is that of `path`, or none where it may not be read.
Result<void> renameInto(const FileDescriptor &folder, const TemporaryFile &temporary, const fs::path &path)
{
    int failure = syncAgain(temporary.file.get());
    // The lock is held until the rename; what close would say, fsync has said.
    if (failure == 0 && ::rename(temporary.path.c_str(), path.c_str()) != 0)
        failure = errno;
    if (failure != 0) {
        ::unlink(temporary.path.c_str());
        return outside(path, "write", failure);
    }
    if (failure = folder ? syncAgain(folder.get()) : 0; failure != 0 && !cannotSyncFolders(failure))
        return outside(path, "sync the folder of", failure);
    return {};
}

FileDescriptor folderOf(const fs::path &path)
{
    return FileDescriptor(
        openAgain(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY));
}

// With the mode `mode` where it is given, else as the umask has it.
Result<void> replaceFile(const fs::path &path, std::string_view content, std::optional<mode_t> mode)
{
    // The rename must survive a power cut too. What hinders that is found before anything changes, but for a folder
    // that may be written and not read.
    const FileDescriptor folder = folderOf(path);
    if (!folder && errno != EACCES)
        return outside(path, "create", errno);
    removeAbandoned(path);
    const TemporaryFile temporary = makeTemporary(path, mode.value_or(0666));
    if (!temporary.file)
        return outside(path, "create", errno);
    if (mode)
        (void)::fchmod(temporary.file.get(), *mode); // a file system without modes refuses; the umask only takes away
    if (const int failure = writeAll(temporary.file.get(), content); failure != 0) {
        ::unlink(temporary.path.c_str());
        return outside(path, "write", failure);
    }
    return renameInto(folder, temporary, path);
}

} // namespace

int FileDescriptor::close()
{
    const int fd = release();
    return fd < 0 ? 0 : ::close(fd);
}

Result<FileDescriptor> openPrivateFile(const fs::path &path, int flags)
{
    FileDescriptor file(openAgain(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, kPrivateFile));
    if (!file) {
        if (errno == ELOOP || errno == EMLINK)
            return notRegular(path, "a symbolic link");
        if (errno == ENXIO)
            return notRegular(path, "a pipe or a socket");
        return openError(path, errno);
    }
    struct stat status{};
    if (::fstat(file.get(), &status) != 0)
        return outside(path, "open", errno);
    if (!S_ISREG(status.st_mode))
        return notRegular(path, kindOf(status.st_mode));
    return file;
}

int readAt(const FileDescriptor &file, std::int64_t offset, std::size_t count, std::string &into)
{
    const std::size_t before = into.size();
    into.resize(before + count);
    std::size_t filled = 0;
    int failure = 0;
    while (filled < count) {
        const ssize_t got = ::pread(file.get(), into.data() + before + filled, count - filled,
            static_cast<off_t>(offset) + static_cast<off_t>(filled));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            failure = errno;
        if (got <= 0)
            break;
        filled += static_cast<std::size_t>(got);
    }
    into.resize(before + filled);
    return failure;
}

Result<std::string> readPrivateFile(const fs::path &path, Bytes limit)
{
    const Result<FileDescriptor> file = openPrivateFile(path, O_RDONLY);
    return file ? readAll(file->get(), path, limit) : file.error();
}

Result<void> writePrivateFile(const fs::path &path, std::string_view content)
{
    return replaceFile(path, content, kPrivateFile);
}

Result<void> makePrivateFolder(const fs::path &folder)
{
    std::error_code failure;
    if (fs::is_directory(folder, failure))
        return {};
    if (const fs::path parent = folder.parent_path(); !parent.empty() && parent != folder) {
        if (const Result<void> made = makePrivateFolder(parent); !made)
            return made;
    }
    if (::mkdir(folder.c_str(), kPrivateFolder) == 0)
        return {};
    const int reason = errno;
    // Another process may have made it meanwhile.
    return reason == EEXIST && fs::is_directory(folder, failure) ? Result<void>()
                                                                 : outside(folder, "make the folder", reason);
}

Result<TemporaryFile> makeTemporaryFile(const fs::path &path)
{
    removeAbandoned(path);
    TemporaryFile temporary = makeTemporary(path, 0666);
    return temporary.file ? Result<TemporaryFile>(std::move(temporary)) : outside(path, "create", errno);
}

Result<void> replaceFileBy(const TemporaryFile &temporary, const fs::path &path)
{
    return renameInto(folderOf(path), temporary, path);
}

fs::path resolveLinks(const fs::path &path)
{
    std::error_code failure;
    if (!fs::is_symlink(path, failure))
        return path;
    const fs::path target = fs::canonical(path, failure);
    return failure ? path : target;
}

Result<std::string> readPackedFile(const fs::path &path, Bytes limit)
{
    return readPrivateFile(resolveLinks(path), limit);
}

bool isWrittenInPlace(const fs::path &path)
{
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

std::string systemMessage(int errorNumber) { return std::generic_category().message(errorNumber); }

Result<void> writeNamedFile(const fs::path &named, std::string_view content)
{
    if (isWrittenInPlace(named))
        return writeInPlace(named, content);
    const fs::path path = resolveLinks(named);
    struct stat status{};
    const bool there = ::stat(path.c_str(), &status) == 0;
    return replaceFile(path, content, there ? std::optional<mode_t>(status.st_mode & 0777) : std::nullopt);
}

Result<std::string> readFile(const fs::path &path, Bytes limit)
{
    const FileDescriptor file(openAgain(path, O_RDONLY));
    return file ? readAll(file.get(), path, limit) : openError(path, errno);
}

} // namespace slipway
