// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes a token file in llm.c's layout: uint16 ids, or uint32 where the vocabulary needs them. The file appears under
// its name only when finish() has succeeded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/result.h"
#include "data/output_file.h"

namespace slipway {

class TokenWriter {
public:
    // `tokenizer`: the checksum of who made the ids; 0: unknown.
    static Result<TokenWriter> create(
        const std::filesystem::path &path, std::int64_t vocab, std::uint64_t tokenizer = 0);
    Result<void> append(std::span<const std::int32_t> ids); // ids of the vocabulary
    Result<void> finish();
    [[nodiscard]] std::int64_t count() const { return m_count; }

private:
    TokenWriter(OutputFile file, bool wide, std::uint64_t tokenizer)
        : m_file(std::move(file)),
          m_wide(wide),
          m_tokenizer(tokenizer)
    {
    }

    OutputFile m_file;
    bool m_wide;
    std::uint64_t m_tokenizer;
    std::int64_t m_count = 0;
};

} // namespace slipway
