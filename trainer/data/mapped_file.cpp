// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"

namespace slipway {

Result<MappedFile> MappedFile::open(const std::filesystem::path &path)
{
    MappedFile file;
    file.m_path = path;
    file.m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.m_fd < 0) {
        const Fault fault = errno == ENOENT || errno == ENOTDIR ? Fault::Input : Fault::Outside;
        return Error{.what = "cannot open: " + systemMessage(errno), .where = path.string(), .fault = fault};
    }
    struct stat status{};
    if (::fstat(file.m_fd, &status) != 0)
        return Error{.what = "cannot read: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
    if (!S_ISREG(status.st_mode))
        return Error{.what = "is not a regular file", .where = path.string()};
    file.m_size = status.st_size;
    if (file.m_size == 0)
        return file;
    void *const data = ::mmap(nullptr, static_cast<std::size_t>(file.m_size), PROT_READ, MAP_SHARED, file.m_fd, 0);
    if (data == MAP_FAILED)
        return Error{.what = "cannot map: " + systemMessage(errno), .where = path.string(), .fault = Fault::Outside};
    file.m_data = static_cast<const std::byte *>(data);
    return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept
{
    if (this != &other) {
        release();
        m_path = std::move(other.m_path);
        m_fd = std::exchange(other.m_fd, -1);
        m_data = std::exchange(other.m_data, nullptr);
        m_size = std::exchange(other.m_size, 0);
    }
    return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release()
{
    if (m_data)
        ::munmap(const_cast<std::byte *>(m_data), static_cast<std::size_t>(m_size));
    if (m_fd >= 0)
        ::close(m_fd);
    m_data = nullptr;
    m_fd = -1;
}

Result<void> MappedFile::checkUnchanged() const
{
    struct stat status{};
    if (::fstat(m_fd, &status) != 0)
        return Error{.what = "cannot read: " + systemMessage(errno), .where = m_path.string(), .fault = Fault::Outside};
    if (status.st_size < m_size) {
        return Error{.what = "was cut to " + std::to_string(status.st_size) + " of " + std::to_string(m_size) +
                             " bytes while it was read",
            .where = m_path.string(),
            .fault = Fault::Damaged};
    }
    return {};
}

} // namespace slipway
