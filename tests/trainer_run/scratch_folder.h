// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/result.h"

namespace slipway::testing {

// A folder of its own for a test; gone when it ends.
class ScratchFolder {
public:
    ScratchFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "slipway-test-XXXXXX").string();
        m_path = ::mkdtemp(name.data());
    }
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    [[nodiscard]] std::filesystem::path operator/(const std::string &name) const { return m_path / name; }

private:
    std::filesystem::path m_path;
};

inline void writeBytes(const std::filesystem::path &path, const std::string &bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

// With mode 0600.
inline void writePrivately(const std::filesystem::path &path, const std::string &bytes)
{
    writeBytes(path, bytes);
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// As far as it can be read: a process' files fail once it is gone.
inline std::string readBytes(const std::filesystem::path &path)
{
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

template<typename T>
std::string bytesOf(std::span<const T> values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size_bytes()};
}

template<typename T>
std::string bytesOf(const std::vector<T> &values)
{
    return bytesOf(std::span<const T>(values));
}

// The message of a failure; empty where there is none.
template<typename T>
std::string messageOf(const Result<T> &result)
{
    return result ? std::string() : result.error().message();
}

} // namespace slipway::testing
