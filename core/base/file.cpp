// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace slipway {

namespace {

Error outside(const std::filesystem::path &path, const char *action, int errorNumber)
{
    return {.what = std::string("cannot ") + action + ": " + systemMessage(errorNumber),
        .where = path.string(),
        .fault = Fault::Outside};
}

// Owns a descriptor; closing twice or leaking one on an early return cannot happen.
class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    int close()
    {
        const int fd = m_fd;
        m_fd = -1;
        return fd < 0 ? 0 : ::close(fd);
    }

private:
    int m_fd;
};

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

Result<void> writeInPlace(const std::filesystem::path &path, std::string_view content)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0)
        return outside(path, "open", errno);
    const int failure = writeAll(file.get(), content);
    return failure == 0 ? Result<void>() : outside(path, "write", failure);
}

} // namespace

std::filesystem::path behindLinks(const std::filesystem::path &path)
{
    std::error_code failure;
    if (!std::filesystem::is_symlink(path, failure))
        return path;
    const std::filesystem::path target = std::filesystem::canonical(path, failure);
    return failure ? path : target;
}

bool isWrittenInPlace(const std::filesystem::path &path)
{
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
           !std::filesystem::is_directory(status);
}

std::string systemMessage(int errorNumber) { return std::generic_category().message(errorNumber); }

Result<void> writeFileAtomically(const std::filesystem::path &named, std::string_view content)
{
    if (isWrittenInPlace(named))
        return writeInPlace(named, content);
    const std::filesystem::path path = behindLinks(named);
    const std::filesystem::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0)
        return outside(path, "create", errno);
    int failure = writeAll(file.get(), content);
    if (failure == 0 && ::fsync(file.get()) != 0)
        failure = errno;
    if (file.close() != 0 && failure == 0)
        failure = errno;
    if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
        failure = errno;
    if (failure != 0) {
        ::unlink(temporary.c_str());
        return outside(path, "write", failure);
    }
    // The rename itself must survive a power cut; a file system that cannot sync folders has still renamed.
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0)
        ::fsync(folder.get());
    return {};
}

Result<std::string> readFile(const std::filesystem::path &path, Bytes limit)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        Error error = outside(path, "open", errno);
        if (errno == ENOENT || errno == ENOTDIR)
            error.fault = Fault::Input; // a name that the user gave
        return error;
    }
    std::string content;
    char chunk[65536];
    for (;;) {
        const ssize_t count = ::read(file.get(), chunk, sizeof chunk);
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
            return Error{.what = "is larger than " + std::to_string(limit) + " bytes", .where = path.string()};
    }
}

} // namespace slipway
