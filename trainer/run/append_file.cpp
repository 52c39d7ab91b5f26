// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/append_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"

namespace slipway {

namespace {

Error outside(const std::filesystem::path &path, const char *action, int errorNumber)
{
    return {.what = std::string("cannot ") + action + ": " + systemMessage(errorNumber),
        .where = path.string(),
        .fault = Fault::Outside};
}

} // namespace

Result<AppendFile> AppendFile::open(const std::filesystem::path &path)
{
    Result<FileDescriptor> opened = openPrivateFile(path, O_RDWR | O_CREAT | O_APPEND);
    if (!opened) {
        Error error = opened.error();
        error.fault = Fault::Outside;
        return error;
    }
    AppendFile file(path, std::move(*opened));
    const int fd = file.m_file.get();
    struct stat status{};
    char last = '\n';
    if (::fstat(fd, &status) == 0 && status.st_size > 0 && ::pread(fd, &last, 1, status.st_size - 1) == 1 &&
        last != '\n') {
        if (const Result<void> ended = file.append(""); !ended)
            return ended.error();
    }
    return file;
}

Result<void> AppendFile::append(std::string_view line)
{
    std::string text(line);
    text += '\n';
    struct stat before{};
    if (::fstat(m_file.get(), &before) != 0)
        return outside(m_path, "write", errno);
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(m_file.get(), text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            const int error = errno;
            // If even this fails, a truncated line remains, which readers skip.
            [[maybe_unused]] const int cut = ::ftruncate(m_file.get(), before.st_size);
            return outside(m_path, "write", error);
        }
        done += static_cast<std::size_t>(written);
    }
    return {};
}

} // namespace slipway
