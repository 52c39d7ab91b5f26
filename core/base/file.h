// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// There are three kinds of files. Private files belong to the program: its state, and the contents of a run directory.
// Someone else may have replaced them by a link or a pipe, so links are never followed and the files must be regular;
// they are written with mode 0600 in folders of mode 0700. Named files are those that a user names on a command line or
// in a dialog: links are followed, pipes and terminals are read and written, and the umask determines the mode. Packed
// files are in a folder of someone else, such as a model's: they are only read, links are followed, as Hugging Face's
// cache has them, and pipes and devices are rejected, because their reader would wait.
//
// No kind is ever written partially: the program writes a temporary file next to the target, calls fsync, renames
// it, and calls fsync on the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

// Owns a file descriptor.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) : m_fd(fd) {}
    FileDescriptor(FileDescriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    FileDescriptor(const FileDescriptor &) = delete;
    FileDescriptor &operator=(const FileDescriptor &) = delete;
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] explicit operator bool() const { return m_fd >= 0; }
    int close(); // returns 0, or -1 with errno set
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

// Opens a private file. `flags` as for open(2): O_RDONLY, or O_RDWR | O_CREAT | O_APPEND; a new file gets mode 0600.
// The fault is Fault::Input if the file is missing, and Fault::Outside if it is a link, a pipe, a folder or a device,
// or if the system refuses to open it.
Result<FileDescriptor> openPrivateFile(const std::filesystem::path &path, int flags);
// Reads up to `count` bytes from `offset`, fewer at the end of the file, and appends them to `into`. Returns 0 or an
// errno.
int readAt(const FileDescriptor &file, std::int64_t offset, std::size_t count, std::string &into);
// Reads a private file. A file larger than `limit` is rejected before memory is allocated for it.
Result<std::string> readPrivateFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);
// Atomically replaces the contents of the private file `path`. If `path` is a link, the link is replaced, not followed.
Result<void> writePrivateFile(const std::filesystem::path &path, std::string_view content);
// Creates a folder and its missing parents with mode 0700. Existing folders are not changed.
Result<void> makePrivateFolder(const std::filesystem::path &folder);

// Reads a packed file.
Result<std::string> readPackedFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);
// Reads a file that a user named, or that the system provides (/proc).
Result<std::string> readFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);
// Atomically replaces the contents of a file that a user named. If the path is a link, the file it points to is
// replaced. If it is not a regular file (/dev/stdout, a pipe), the contents are written to it directly.
Result<void> writeNamedFile(const std::filesystem::path &path, std::string_view content);

// A file that is written incrementally and finally replaces another file. Its lock is held as long as `file` is open: a
// temporary file without a lock was left by a writer that was killed, and the next writer of the same target removes
// it.
struct TemporaryFile {
    std::filesystem::path path;
    FileDescriptor file;
};
// Creates an empty file next to `path`, with an unpredictable name, so that no one else can create it first.
Result<TemporaryFile> makeTemporaryFile(const std::filesystem::path &path);
// Renames the file to `path` once its bytes are on the disk. If that fails, the temporary file is removed.
Result<void> replaceFileBy(const TemporaryFile &temporary, const std::filesystem::path &path);

// Resolves links, so that writing to the result keeps the link; other paths are returned unchanged.
std::filesystem::path resolveLinks(const std::filesystem::path &path);

// Whether the path is a pipe, a terminal or a device, which a rename must not replace.
bool isWrittenInPlace(const std::filesystem::path &path);

// The system's description of an errno value, without a newline.
std::string systemMessage(int errorNumber);

} // namespace slipway
