// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_writer.h"

#include <array>

namespace slipway {

namespace {

constexpr std::int64_t kNarrowVocab = 65536;

using Header = std::array<std::int32_t, kLlmCHeader / sizeof(std::int32_t)>;

} // namespace

Result<TokenWriter> TokenWriter::create(const std::filesystem::path &path, std::int64_t vocab, std::uint64_t tokenizer)
{
    Result<OutputFile> file = OutputFile::create(path);
    if (!file)
        return file.error();
    TokenWriter writer(std::move(*file), vocab > kNarrowVocab, {}, tokenizer);
    const Result<void> begun = writer.writeHeader(true);
    return begun ? Result<TokenWriter>(std::move(writer)) : begun.error();
}

Result<TokenWriter> TokenWriter::unfinished(
    const std::filesystem::path &path, const TokenVocabulary &vocabulary, std::uint64_t tokenizer, std::int64_t count)
{
    const bool wide = vocabulary.size > kNarrowVocab;
    const Bytes size = count == 0 ? 0 : static_cast<Bytes>(kLlmCHeader) + count * (wide ? 4 : 2);
    Result<OutputFile> file = OutputFile::unfinished(path, size);
    if (!file)
        return file.error();
    TokenWriter writer(std::move(*file), wide, vocabulary, tokenizer);
    writer.m_count = count;
    const Result<void> begun = writer.writeHeader(count == 0);
    return begun ? Result<TokenWriter>(std::move(writer)) : begun.error();
}

// llm.c reads the first three fields. The number of ids is 0 in an unfinished file.
Result<void> TokenWriter::writeHeader(bool first)
{
    const auto low = [](std::uint64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); };
    Header header{};
    header[0] = m_wide ? kLlmCMagic32 : kLlmCMagic16;
    header[1] = m_wide ? kLlmCVersion32 : kLlmCVersion16;
    header[2] = low(static_cast<std::uint64_t>(m_count));
    header[3] = static_cast<std::int32_t>(m_count >> 32);
    header[4] = low(m_tokenizer);
    header[5] = low(m_tokenizer >> 32U);
    if (m_vocabulary.size > 0) {
        header[6] = kHasVocabulary;
        header[7] = m_vocabulary.size;
        header[8] = m_vocabulary.begin;
        header[9] = m_vocabulary.end;
    }
    const std::span<const std::byte> bytes = std::as_bytes(std::span(header));
    return first ? m_file.append(bytes) : m_file.overwrite(0, bytes);
}

Result<void> TokenWriter::append(std::span<const std::int32_t> ids)
{
    m_count += static_cast<std::int64_t>(ids.size());
    if (m_wide)
        return m_file.append(std::as_bytes(ids));
    m_ids16.assign(ids.begin(), ids.end());
    return m_file.append(std::as_bytes(std::span(m_ids16)));
}

Result<void> TokenWriter::finish()
{
    if (Result<void> written = writeHeader(false); !written)
        return written;
    return m_file.commit();
}

} // namespace slipway
