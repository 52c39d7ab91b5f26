// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

// A page-aligned range of zeroed memory. The system allocates pages when they are first written.
class MappedMemory {
public:
    // Fails if the machine does not have that much memory.
    static Result<MappedMemory> map(Bytes bytes);
    ~MappedMemory();
    MappedMemory(MappedMemory &&other) noexcept;
    MappedMemory &operator=(MappedMemory &&) = delete;

    // Frees all pages: the memory reads as zeros and uses no memory until it is written.
    void discardPages() const;

    [[nodiscard]] std::byte *data() const { return m_data; }
    [[nodiscard]] Bytes size() const { return m_size; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return {m_data, static_cast<std::size_t>(m_size)}; }

private:
    MappedMemory(std::byte *data, Bytes size) : m_data(data), m_size(size) {}
    std::byte *m_data = nullptr;
    Bytes m_size = 0;
};

} // namespace slipway
