// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_writer.h"

#include <array>
#include <vector>

#include "data/token_file.h"

namespace slipway {

namespace {

constexpr std::int64_t kNarrowVocab = 65536;

using Header = std::array<std::int32_t, kLlmCHeader / sizeof(std::int32_t)>;

// llm.c reads the first three fields.
Header headerOf(bool wide, std::int64_t count, std::uint64_t tokenizer)
{
    Header header{};
    header[0] = wide ? kLlmCMagic32 : kLlmCMagic16;
    header[1] = wide ? kLlmCVersion32 : kLlmCVersion16;
    header[2] = static_cast<std::int32_t>(static_cast<std::uint32_t>(count));
    header[3] = static_cast<std::int32_t>(count >> 32);
    header[4] = static_cast<std::int32_t>(static_cast<std::uint32_t>(tokenizer));
    header[5] = static_cast<std::int32_t>(static_cast<std::uint32_t>(tokenizer >> 32U));
    return header;
}

} // namespace

Result<TokenWriter> TokenWriter::create(const std::filesystem::path &path, std::int64_t vocab, std::uint64_t tokenizer)
{
    Result<OutputFile> file = OutputFile::create(path);
    if (!file)
        return file.error();
    const bool wide = vocab > kNarrowVocab;
    const Header header = headerOf(wide, 0, tokenizer);
    if (Result<void> written = file->append(std::as_bytes(std::span(header))); !written)
        return written.error();
    return TokenWriter(std::move(*file), wide, tokenizer);
}

Result<void> TokenWriter::append(std::span<const std::int32_t> ids)
{
    m_count += static_cast<std::int64_t>(ids.size());
    if (m_wide)
        return m_file.append(std::as_bytes(ids));
    const std::vector<std::uint16_t> narrow(ids.begin(), ids.end());
    return m_file.append(std::as_bytes(std::span(narrow)));
}

Result<void> TokenWriter::finish()
{
    const Header header = headerOf(m_wide, m_count, m_tokenizer);
    if (Result<void> written = m_file.overwrite(0, std::as_bytes(std::span(header))); !written)
        return written;
    return m_file.commit();
}

} // namespace slipway
