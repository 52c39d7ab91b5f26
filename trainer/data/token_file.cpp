// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/megatron_index.h"

namespace slipway {

namespace {

constexpr std::size_t kHeaderFields = 10;

// Reads the fields that slipway-train tokenize adds to llm.c's header: the vocabulary size and the marks of documents.
Result<TokenVocabulary> vocabularyOf(const InputFile &file, std::span<const std::int32_t, kHeaderFields> header)
{
    if (header[6] != kHasVocabulary)
        return TokenVocabulary();
    const TokenVocabulary vocabulary{.size = header[7], .begin = header[8], .end = header[9]};
    const auto isMark = [&](std::int32_t id) { return id >= -1 && id < vocabulary.size; };
    if (vocabulary.size <= 0 || !isMark(vocabulary.begin) || !isMark(vocabulary.end))
        return damagedFile(file.path(),
            "its header contradicts itself: a vocabulary of " + std::to_string(vocabulary.size) + " tokens, begin " +
                std::to_string(vocabulary.begin) + ", end " + std::to_string(vocabulary.end));
    return vocabulary;
}

Result<TokenExtent> llmCExtent(const InputFile &file, std::span<const std::int32_t, kHeaderFields> header)
{
    const bool wide = header[0] == kLlmCMagic32;
    const std::int32_t version = wide ? kLlmCVersion32 : kLlmCVersion16;
    if (header[1] != version)
        return damagedFile(
            file.path(), "has version " + std::to_string(header[1]) + " in its header", std::to_string(version));
    // The count is an int32; its upper bits are in the next field, which is 0 in files of llm.c.
    const std::int64_t count = (std::int64_t{header[3]} << 32) | static_cast<std::uint32_t>(header[2]);
    const Result<TokenVocabulary> vocabulary = vocabularyOf(file, header);
    if (!vocabulary)
        return vocabulary.error();
    const TokenExtent extent{.layout = TokenLayout::LlmC,
        .start = kLlmCHeader,
        .width = wide ? 4 : 2,
        .count = count,
        .tokenizer =
            (std::uint64_t{static_cast<std::uint32_t>(header[5])} << 32U) | static_cast<std::uint32_t>(header[4]),
        .vocabulary = *vocabulary};
    const Bytes body = file.size() - extent.start;
    if (count < 0 || body % extent.width != 0 || body / extent.width != count) {
        return damagedFile(file.path(),
            "its header promises " + std::to_string(count) + " ids, but " + std::to_string(std::max<Bytes>(body, 0)) +
                " bytes follow it",
            std::to_string(extent.width) + " bytes for each id");
    }
    return extent;
}

Result<TokenExtent> extentOf(const InputFile &file)
{
    std::array<std::int32_t, kHeaderFields> header{};
    if (file.size() >= static_cast<Bytes>(6 * sizeof header[0])) {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(header));
        const auto there = static_cast<std::size_t>(std::min(file.size(), std::ssize(bytes)));
        if (const Result<void> read = file.read(0, bytes.first(there)); !read)
            return read.error();
    }
    if (header[0] == kLlmCMagic16 || header[0] == kLlmCMagic32)
        return llmCExtent(file, header);
    if (file.size() % 2 != 0)
        return damagedFile(
            file.path(), "has an odd number of bytes (" + std::to_string(file.size()) + ")", "2 bytes for each id");
    return TokenExtent{.layout = TokenLayout::NanoGpt, .start = 0, .width = 2, .count = file.size() / 2};
}

// A reduction with max, which the compiler vectorizes. As unsigned numbers, ids that are negative as int32 are large.
template<typename T>
T largestOf(std::span<const T> ids)
{
    T largest = 0;
    for (const T id : ids)
        largest = std::max(largest, id);
    return largest;
}

constexpr std::int64_t kIdsPerRead = 1 << 18;

// Calls `take` for blocks of the ids begin .. begin + count, with the position of the first id and the ids as stored in
// the file.
template<typename T, typename Take>
Result<void> forBlocks(
    const InputFile &file, const TokenExtent &extent, std::int64_t begin, std::int64_t count, const Take &take)
{
    std::vector<T> ids(static_cast<std::size_t>(std::min(kIdsPerRead, count)));
    for (const std::int64_t end = begin + count; begin < end; begin += kIdsPerRead) {
        const std::span<T> block(ids.data(), static_cast<std::size_t>(std::min(kIdsPerRead, end - begin)));
        Result<void> done = file.read(extent.start + begin * extent.width, std::as_writable_bytes(block));
        if (done)
            done = take(begin, std::span<const T>(block));
        if (!done)
            return done;
    }
    return {};
}

} // namespace

TokenFile::TokenFile(InputFile file, TokenExtent extent, std::int64_t vocab)
    : m_file(std::move(file)),
      m_extent(extent),
      m_vocab(static_cast<std::uint32_t>(vocab))
{
}

Result<TokenFile> TokenFile::open(const std::filesystem::path &path, std::int64_t vocab)
{
    const std::optional<MegatronPaths> pair = megatronPaths(path);
    Result<InputFile> file = InputFile::open(pair ? pair->ids : path);
    if (!file)
        return file.error();
    const Result<TokenExtent> extent = pair ? megatronExtent(*file, pair->index) : extentOf(*file);
    if (!extent)
        return extent.error();
    TokenFile tokens(std::move(*file), *extent, vocab);
    if (tokens.m_file.size() <= kCheckedAtOpen) {
        if (const Result<void> checked = tokens.checkAll(); !checked)
            return checked.error();
    }
    return tokens;
}

Error TokenFile::outsideVocabulary(std::int64_t position, std::uint32_t id) const
{
    return damagedFile(m_file.path(),
        "id " + std::to_string(id) + " at position " + std::to_string(position) + " (byte " +
            std::to_string(m_extent.start + position * m_extent.width) + ") is outside the vocabulary",
        "0 to " + std::to_string(m_vocab - 1));
}

template<typename Take>
Result<void> TokenFile::forIds(std::int64_t begin, std::int64_t count, const Take &take) const
{
    return m_extent.width == 2 ? forBlocks<std::uint16_t>(m_file, m_extent, begin, count, take)
                               : forBlocks<std::uint32_t>(m_file, m_extent, begin, count, take);
}

Result<void> TokenFile::checkAll() const
{
    const auto check = [this]<typename T>(std::int64_t first, std::span<const T> ids) -> Result<void> {
        if (largestOf(ids) < m_vocab)
            return {};
        const auto bad = std::find_if(ids.begin(), ids.end(), [this](T id) { return id >= m_vocab; });
        return outsideVocabulary(first + (bad - ids.begin()), *bad);
    };
    return forIds(0, m_extent.count, check);
}

Result<void> TokenFile::read(std::int64_t begin, std::span<std::int32_t> out) const
{
    const auto copy = [&]<typename T>(std::int64_t first, std::span<const T> ids) -> Result<void> {
        std::int32_t *to = out.data() + (first - begin);
        for (const T &id : ids) {
            if (id >= m_vocab)
                return outsideVocabulary(first + (&id - ids.data()), id);
            *to++ = static_cast<std::int32_t>(id);
        }
        return {};
    };
    return forIds(begin, std::ssize(out), copy);
}

} // namespace slipway
