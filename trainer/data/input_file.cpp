// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/input_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace slipway {

Result<InputFile> InputFile::open(const std::filesystem::path &path)
{
    // Opening a pipe without a writer would block.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) {
        const Fault fault = errno == ENOENT || errno == ENOTDIR ? Fault::Input : Fault::Outside;
        return Error{.what = "cannot open: " + systemMessage(errno), .where = path.string(), .fault = fault};
    }
    struct stat status{};
    if (::fstat(file.get(), &status) != 0)
        return Error{.what = "cannot read: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
    if (!S_ISREG(status.st_mode))
        return Error{.what = "is not a regular file", .where = path.string()};
    return InputFile(path, std::move(file), status.st_size);
}

Result<void> InputFile::read(Bytes offset, std::span<std::byte> out) const
{
    while (!out.empty()) {
        const ssize_t count = ::pread(m_file.get(), out.data(), out.size(), offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return Error{
                .what = "cannot read: " + systemMessage(errno), .where = m_path.string(), .fault = Fault::Outside};
        if (count == 0) {
            struct stat status{};
            const Bytes left = ::fstat(m_file.get(), &status) == 0 ? status.st_size : offset;
            return Error{.what = "was cut to " + std::to_string(left) + " of " + std::to_string(m_size) +
                                 " bytes while it was read",
                .where = m_path.string(),
                .fault = Fault::Damaged};
        }
        out = out.subspan(static_cast<std::size_t>(count));
        offset += count;
    }
    return {};
}

Error damagedFile(const std::filesystem::path &path, std::string what, std::string accepted)
{
    return {.what = std::move(what), .where = path.string(), .accepted = std::move(accepted), .fault = Fault::Damaged};
}

} // namespace slipway
