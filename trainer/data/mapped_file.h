// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A whole file, readable as memory. The pages come from the file as they are touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

class MappedFile {
public:
    // Fault::Input where there is no such file, Fault::Outside where the system refuses it.
    static Result<MappedFile> open(const std::filesystem::path &path);
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return {m_data, static_cast<std::size_t>(m_size)}; }
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    // Fault::Damaged where the file has become shorter since: touching what is gone would end the process.
    [[nodiscard]] Result<void> checkUnchanged() const;

private:
    MappedFile() = default;
    void release();

    std::filesystem::path m_path;
    int m_fd = -1;
    const std::byte *m_data = nullptr;
    Bytes m_size = 0;
};

} // namespace slipway
