// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes a token file in llm.c's layout: uint16 ids, or uint32 where the vocabulary needs them. The file appears under
// its name only when finish() has succeeded.
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
    // `tokenizer`: the checksum of who made the ids; 0: unknown.
    static Result<TokenWriter> create(
        const std::filesystem::path &path, std::int64_t vocab, std::uint64_t tokenizer = 0);
    // The file grows under OutputFile's unfinished name. Continues behind `count` ids that an earlier process left.
    static Result<TokenWriter> unfinished(const std::filesystem::path &path, const TokenVocabulary &vocabulary,
        std::uint64_t tokenizer, std::int64_t count);
    Result<void> append(std::span<const std::int32_t> ids); // ids of the vocabulary
    Result<void> sync() { return m_file.sync(); }
    Result<void> finish();
    void leave() { m_file.leave(); } // unfinished, for a later process
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
    std::vector<std::uint16_t> m_narrow;
};

} // namespace slipway
