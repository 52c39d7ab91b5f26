// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_file.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "data/megatron_index.h"

namespace slipway {

namespace {

Error damaged(const std::filesystem::path &path, std::string what, std::string accepted = {})
{
    return {.what = std::move(what), .where = path.string(), .accepted = std::move(accepted), .fault = Fault::Damaged};
}

Result<TokenExtent> llmCExtent(const MappedFile &file, std::span<const std::int32_t, 6> header)
{
    const bool wide = header[0] == kLlmCMagic32;
    const std::int32_t version = wide ? kLlmCVersion32 : kLlmCVersion16;
    if (header[1] != version)
        return damaged(
            file.path(), "has version " + std::to_string(header[1]) + " in its header", std::to_string(version));
    // The count is an int32; what it cannot hold continues in the next field, which is 0 in files of llm.c.
    const std::int64_t count = (std::int64_t{header[3]} << 32) | static_cast<std::uint32_t>(header[2]);
    const TokenExtent extent{.layout = TokenLayout::LlmC,
        .start = kLlmCHeader,
        .width = wide ? 4 : 2,
        .count = count,
        .tokenizer =
            (std::uint64_t{static_cast<std::uint32_t>(header[5])} << 32U) | static_cast<std::uint32_t>(header[4])};
    const Bytes body = static_cast<Bytes>(file.bytes().size()) - extent.start;
    if (count < 0 || body % extent.width != 0 || body / extent.width != count) {
        return damaged(file.path(),
            "its header promises " + std::to_string(count) + " ids, but " + std::to_string(std::max<Bytes>(body, 0)) +
                " bytes follow it",
            std::to_string(extent.width) + " bytes for each id");
    }
    return extent;
}

Result<TokenExtent> extentOf(const MappedFile &file)
{
    const std::span<const std::byte> bytes = file.bytes();
    std::array<std::int32_t, 6> header{};
    if (bytes.size() >= sizeof header)
        std::memcpy(header.data(), bytes.data(), sizeof header);
    if (header[0] == kLlmCMagic16 || header[0] == kLlmCMagic32)
        return llmCExtent(file, header);
    if (bytes.size() % 2 != 0)
        return damaged(
            file.path(), "has an odd number of bytes (" + std::to_string(bytes.size()) + ")", "2 bytes for each id");
    return TokenExtent{
        .layout = TokenLayout::NanoGpt, .start = 0, .width = 2, .count = static_cast<std::int64_t>(bytes.size() / 2)};
}

// Folding with max is what the compiler turns into vector code; an id that is negative as int32 is large here.
template<typename T>
T largestOf(const T *ids, std::int64_t count)
{
    T largest = 0;
    for (std::int64_t i = 0; i < count; ++i)
        largest = std::max(largest, ids[i]);
    return largest;
}

// Position of the first id that is at least `vocab`, or count.
template<typename T>
std::int64_t firstOutside(const T *ids, std::int64_t count, std::uint32_t vocab)
{
    constexpr std::int64_t kBlock = 1 << 16;
    for (std::int64_t start = 0; start < count; start += kBlock) {
        const std::int64_t length = std::min(kBlock, count - start);
        if (largestOf(ids + start, length) >= vocab) {
            return std::find_if(ids + start, ids + start + length, [vocab](T id) { return id >= vocab; }) - ids;
        }
    }
    return count;
}

} // namespace

TokenFile::TokenFile(MappedFile file, TokenExtent extent, std::int64_t vocab)
    : m_file(std::move(file)),
      m_extent(extent),
      m_vocab(static_cast<std::uint32_t>(vocab))
{
}

Result<TokenFile> TokenFile::open(const std::filesystem::path &path, std::int64_t vocab)
{
    const std::optional<MegatronPaths> pair = megatronPaths(path);
    Result<MappedFile> file = MappedFile::open(pair ? pair->ids : path);
    if (!file)
        return file.error();
    const Result<TokenExtent> extent = pair ? megatronExtent(*file, pair->index) : extentOf(*file);
    if (!extent)
        return extent.error();
    TokenFile tokens(std::move(*file), *extent, vocab);
    if (static_cast<Bytes>(tokens.m_file.bytes().size()) <= kCheckedAtOpen) {
        if (Result<void> checked = tokens.checkAll(); !checked)
            return checked.error();
    }
    return tokens;
}

Error TokenFile::outsideVocabulary(std::int64_t position, std::uint32_t id) const
{
    return damaged(m_file.path(),
        "id " + std::to_string(id) + " at position " + std::to_string(position) + " (byte " +
            std::to_string(m_extent.start + position * m_extent.width) + ") is outside the vocabulary",
        "0 to " + std::to_string(m_vocab - 1));
}

Result<void> TokenFile::checkAll() const
{
    const std::byte *const start = m_file.bytes().data() + m_extent.start;
    const auto check = [&]<typename T>(const T *ids) -> Result<void> {
        const std::int64_t position = firstOutside(ids, m_extent.count, m_vocab);
        if (position < m_extent.count)
            return outsideVocabulary(position, ids[position]);
        return {};
    };
    return m_extent.width == 2 ? check(reinterpret_cast<const std::uint16_t *>(start))
                               : check(reinterpret_cast<const std::uint32_t *>(start));
}

Result<void> TokenFile::read(std::int64_t begin, std::span<std::int32_t> out) const
{
    if (Result<void> unchanged = m_file.checkUnchanged(); !unchanged)
        return unchanged;
    const std::byte *const start = m_file.bytes().data() + m_extent.start + begin * m_extent.width;
    const auto copy = [&]<typename T>(const T *ids) -> Result<void> {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint32_t id = ids[i];
            if (id >= m_vocab)
                return outsideVocabulary(begin + static_cast<std::int64_t>(i), id);
            out[i] = static_cast<std::int32_t>(id);
        }
        return {};
    };
    return m_extent.width == 2 ? copy(reinterpret_cast<const std::uint16_t *>(start))
                               : copy(reinterpret_cast<const std::uint32_t *>(start));
}

} // namespace slipway
