// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_source.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace slipway {

Result<TokenSource> TokenSource::open(
    std::span<const WeightedFile> files, std::int64_t vocab, std::int64_t seqLen, std::uint64_t seed)
{
    if (files.empty() || files.size() > SampleOrder::kMixBlock)
        return Error{.what = "names " + std::to_string(files.size()) + " token files",
            .where = "data",
            .accepted = "1 to " + std::to_string(SampleOrder::kMixBlock)};
    std::vector<TokenFile> opened;
    std::vector<SampleOrder::Source> sources;
    for (const WeightedFile &file : files) {
        if (!(file.weight > 0) || !std::isfinite(file.weight))
            return Error{.what = "has the weight " + std::to_string(file.weight),
                .where = file.path.string(),
                .accepted = "a number above 0"};
        Result<TokenFile> tokens = TokenFile::open(file.path, vocab);
        if (!tokens)
            return tokens.error();
        if (tokens->size() < seqLen + 1) {
            return Error{.what = "has " + std::to_string(tokens->size()) + " ids, too few for one sample",
                .where = file.path.string(),
                .accepted = "at least " + std::to_string(seqLen + 1) + ", seq_len + 1"};
        }
        sources.push_back(
            {.windows = static_cast<std::uint64_t>((tokens->size() - 1) / seqLen), .weight = file.weight});
        opened.push_back(std::move(*tokens));
    }
    return TokenSource(std::move(opened), SampleOrder(std::move(sources), seed), seqLen);
}

TokenSource::TokenSource(std::vector<TokenFile> files, SampleOrder order, std::int64_t seqLen)
    : m_files(std::move(files)),
      m_order(std::move(order)),
      m_seqLen(seqLen)
{
}

std::uint64_t TokenSource::windowsOf(const TokenFile &file) const
{
    return static_cast<std::uint64_t>((file.size() - 1) / m_seqLen);
}

std::int64_t TokenSource::tokenCount() const
{
    std::int64_t count = 0;
    for (const TokenFile &file : m_files)
        count += file.size();
    return count;
}

std::uint64_t TokenSource::windowCount() const
{
    std::uint64_t count = 0;
    for (const TokenFile &file : m_files)
        count += windowsOf(file);
    return count;
}

Result<void> TokenSource::sample(
    std::uint64_t number, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const
{
    const SampleId id = m_order(number);
    return read(id.source, id.window, tokens, targets);
}

Result<void> TokenSource::window(
    std::uint64_t number, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const
{
    std::size_t file = 0;
    for (; number >= windowsOf(m_files[file]); ++file)
        number -= windowsOf(m_files[file]);
    return read(file, number, tokens, targets);
}

Result<void> TokenSource::read(
    std::size_t file, std::uint64_t window, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const
{
    const std::int64_t begin = static_cast<std::int64_t>(window) * m_seqLen;
    if (Result<void> ids = m_files[file].read(begin, tokens); !ids)
        return ids;
    std::copy(tokens.begin() + 1, tokens.end(), targets.begin());
    return m_files[file].read(begin + m_seqLen, targets.last(1));
}

} // namespace slipway
