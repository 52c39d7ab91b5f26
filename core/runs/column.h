// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A growing column of numbers, stored in chunks that never move. Growing copies no values, and copies of a column share
// its chunks. The values of a copy do not change, because new values are appended after them and never overwrite them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace slipway {

class Column {
public:
    void push_back(double value)
    {
        const std::size_t at = m_size % kChunk;
        if (at == 0)
            m_chunks.push_back(std::make_shared_for_overwrite<Chunk>());
        (*m_chunks.back())[at] = value;
        ++m_size;
    }
    // Appends the values of another column, beginning with index `from`.
    void append(const Column &other, std::size_t from)
    {
        while (from < other.m_size) {
            const std::size_t at = m_size % kChunk, theirs = from % kChunk;
            const std::size_t count = std::min({kChunk - at, kChunk - theirs, other.m_size - from});
            if (at == 0)
                m_chunks.push_back(std::make_shared_for_overwrite<Chunk>());
            std::copy_n(other.m_chunks[from / kChunk]->begin() + theirs, count, m_chunks.back()->begin() + at);
            m_size += count;
            from += count;
        }
    }
    void truncate(std::size_t size)
    {
        if (size >= m_size)
            return;
        m_size = size;
        m_chunks.resize((size + kChunk - 1) / kChunk);
        // A sharing column still reads values that would be overwritten.
        if (size % kChunk != 0 && m_chunks.back().use_count() > 1)
            m_chunks.back() = std::make_shared<Chunk>(*m_chunks.back());
    }
    // Makes this column equal to `other`, which may continue to grow. The values before `from` must already be equal.
    // After this call, this column does not grow any more.
    void share(const Column &other, std::size_t from)
    {
        m_chunks.resize(std::min(m_chunks.size(), from / kChunk));
        m_chunks.insert(m_chunks.end(), other.m_chunks.begin() + static_cast<std::ptrdiff_t>(m_chunks.size()),
            other.m_chunks.end());
        m_size = other.m_size;
    }
    Column() = default;
    Column(Column &&) = default;
    Column &operator=(Column &&) = default;
    Column(const Column &other) : m_chunks(other.m_chunks), m_size(other.m_size)
    {
        if (!m_chunks.empty())
            m_chunks.back() = std::make_shared<Chunk>(*m_chunks.back()); // both columns may grow
    }
    Column &operator=(const Column &other) { return *this = Column(other); }
    ~Column() = default;

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] double operator[](std::size_t i) const { return (*m_chunks[i / kChunk])[i % kChunk]; }
    // The longest contiguous range of values that begins at `from` and ends at `until` at the latest. Loops over many
    // values use it to avoid a lookup per value.
    [[nodiscard]] std::span<const double> contiguous(std::size_t from, std::size_t until) const
    {
        const std::size_t at = from % kChunk;
        return std::span(*m_chunks[from / kChunk]).subspan(at, std::min(kChunk - at, until - from));
    }
    [[nodiscard]] double front() const { return (*this)[0]; }
    [[nodiscard]] double back() const { return (*this)[m_size - 1]; }

    // Calls take(value) for the values [from, until).
    template<typename Take>
    void forEach(std::size_t from, std::size_t until, Take take) const
    {
        while (from < until) {
            const std::span<const double> values = contiguous(from, until);
            for (const double value : values)
                take(value);
            from += values.size();
        }
    }

private:
    static constexpr std::size_t kChunk = 4096;
    using Chunk = std::array<double, kChunk>;
    std::vector<std::shared_ptr<Chunk>> m_chunks;
    std::size_t m_size = 0;
};

} // namespace slipway
