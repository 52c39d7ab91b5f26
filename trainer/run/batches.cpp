// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/batches.h"

namespace slipway {

Batches::Batches(const TokenSource &source, Shape shape)
    : m_source(source),
      m_shape(shape),
      m_tokens(static_cast<std::size_t>(shape.rows * source.seqLen())),
      m_targets(m_tokens.size()),
      m_starts(shape.documents ? m_tokens.size() : 0)
{
}

std::span<std::int32_t> Batches::row(std::vector<std::int32_t> &ids, std::int64_t index) const
{
    const auto length = static_cast<std::size_t>(m_source.seqLen());
    return std::span(ids).subspan(static_cast<std::size_t>(index) * length, length);
}

// Ranks take samples in turn, so that any number of ranks processes the same samples.
std::uint64_t Batches::offset(std::int64_t row) const
{
    return static_cast<std::uint64_t>(row * m_shape.ranks + m_shape.rank);
}

StepInput Batches::input()
{
    for (std::int64_t i = 0; m_shape.documents && i < m_shape.rows; ++i)
        separateDocuments(*m_shape.documents, row(m_tokens, i), row(m_targets, i), row(m_starts, i));
    return {.tokens = m_tokens, .targets = m_targets, .documentStarts = m_starts};
}

Result<StepInput> Batches::training(std::uint64_t first)
{
    for (std::int64_t i = 0; i < m_shape.rows; ++i) {
        if (const Result<void> read = m_source.sample(first + offset(i), row(m_tokens, i), row(m_targets, i)); !read)
            return read.error();
    }
    return input();
}

Result<StepInput> Batches::evaluation(std::uint64_t number)
{
    const std::uint64_t first = number * static_cast<std::uint64_t>(m_shape.rows * m_shape.ranks);
    for (std::int64_t i = 0; i < m_shape.rows; ++i) {
        if (const Result<void> read =
                m_source.window((first + offset(i)) % m_source.windowCount(), row(m_tokens, i), row(m_targets, i));
            !read)
            return read.error();
    }
    return input();
}

} // namespace slipway
