// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Files, in two kinds. Private files are the program's own: its state, and what a run folder holds. Somebody else may
// have put a link or a pipe in their place, so they are never followed and must be regular files; they are written with
// mode 0600 in folders of mode 0700. Named files are those that a user names on a command line or in a dialog: links
// are followed, pipes and terminals are read and written, and the umask decides on modes.
//
// Neither kind is ever half-written: a temporary file beside the target, fsync, rename, fsync of the folder.
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
    int close(); // 0, or -1 with errno
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

// Opens a private file. `flags` as for open(2): O_RDONLY, or O_RDWR | O_CREAT | O_APPEND; a new file gets mode 0600.
// Fault::Outside where it is a link, a pipe, a folder or a device, or where the system refuses; of a missing file the
// fault is Input.
Result<FileDescriptor> openPrivateFile(const std::filesystem::path &path, int flags);
// Reads up to `count` bytes from `offset` on, fewer at the end of the file, and appends them to `into`. 0, or an errno.
int readAt(const FileDescriptor &file, std::int64_t offset, std::size_t count, std::string &into);
// The bytes of a private file. A file over `limit` is refused before memory is taken for it.
Result<std::string> readPrivateFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);
// Replaces the private file `path` by `content`, or leaves it as it was. A link in its place is replaced, not followed.
Result<void> writePrivateFile(const std::filesystem::path &path, std::string_view content);
// Makes a folder, and those above it that are missing, with mode 0700. Folders that exist stay as they are.
Result<void> makePrivateFolder(const std::filesystem::path &folder);

// The bytes of a file that a user named, or that the system provides (/proc).
Result<std::string> readFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);
// Replaces a file that a user named by `content`, or leaves it as it was. A link stays a link to the replaced file.
// What is no file (/dev/stdout, a pipe) is written to as it is.
Result<void> writeNamedFile(const std::filesystem::path &path, std::string_view content);

// A file that is written bit by bit and takes another's place in the end. Its lock lasts as long as `file` is open: a
// temporary file without one was left by a writer that was killed, and the next writer of that place removes it.
struct TemporaryFile {
    std::filesystem::path path;
    FileDescriptor file;
};
// Makes an empty file beside `path`, with a name that nobody can guess and take first.
Result<TemporaryFile> makeTemporaryFile(const std::filesystem::path &path);
// Renames it to `path` once its bytes are on the disk. Where that fails, it is removed.
Result<void> replaceFileBy(const TemporaryFile &temporary, const std::filesystem::path &path);

// What a link leads to, so that writing leaves it a link; other paths as they are.
std::filesystem::path behindLinks(const std::filesystem::path &path);

// A pipe, a terminal, a device: nothing that a rename should replace.
bool isWrittenInPlace(const std::filesystem::path &path);

// The system's words for an errno value, without a newline.
std::string systemMessage(int errorNumber);

} // namespace slipway
