// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes a token file in llm.c's layout, with uint16 ids, or uint32 if the vocabulary needs them. The file appears
// under its name only after finish().
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/output_file.h"
#include "data/token_file.h"

namespace slipway {

class TokenWriter {
public:
    // `tokenizer`: checksum of the tokenizer; 0: unknown.
    static Result<TokenWriter> create(
        const std::filesystem::path &path, std::int64_t vocab, std::uint64_t tokenizer = 0);
    // Writes under OutputFile's unfinished name. Continues after `count` ids of an earlier process.
    static Result<TokenWriter> unfinished(const std::filesystem::path &path, const TokenVocabulary &vocabulary,
        std::uint64_t tokenizer, std::int64_t count);
    Result<void> append(std::span<const std::int32_t> ids); // must be within the vocabulary
    Result<void> sync() { return m_file.sync(); }
    Result<void> finish();
    void keepUnfinished() { m_file.keepUnfinished(); } // keeps the unfinished file for a later process
    [[nodiscard]] std::int64_t count() const { return m_count; }

private:
    TokenWriter(OutputFile file, bool wide, const TokenVocabulary &vocabulary, std::uint64_t tokenizer)
        : m_file(std::move(file)),
          m_wide(wide),
          m_vocabulary(vocabulary),
          m_tokenizer(tokenizer)
    {
    }
    [[nodiscard]] Result<void> writeHeader(bool first);

    OutputFile m_file;
    bool m_wide;
    TokenVocabulary m_vocabulary;
    std::uint64_t m_tokenizer;
    std::int64_t m_count = 0;
    std::vector<std::uint16_t> m_ids16;
};

} // namespace slipway
