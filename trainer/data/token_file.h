// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A file of token ids. Three layouts are supported, which differ in their first bytes and accompanying files:
//   llm.c     a header of 256 int32, then the ids (magic 20240520, version 1: uint16; 20240801, version 7: uint32)
//   Megatron  FILE.bin with FILE.idx, which contains the type of the ids and the range of each document
//   nanoGPT   uint16 ids without a header
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "data/input_file.h"

namespace slipway {

enum class TokenLayout { LlmC, Megatron, NanoGpt };
template<>
struct EnumNames<TokenLayout> {
    static constexpr std::array<std::string_view, 3> names{"llm.c", "megatron", "nanogpt"};
};

inline constexpr std::int32_t kLlmCMagic16 = 20240520;
inline constexpr std::int32_t kLlmCVersion16 = 1;
inline constexpr std::int32_t kLlmCMagic32 = 20240801;
inline constexpr std::int32_t kLlmCVersion32 = 7;
inline constexpr std::size_t kLlmCHeader = 1024; // bytes
// Value of the header's seventh field if the file describes its vocabulary. llm.c writes 0 there.
inline constexpr std::int32_t kHasVocabulary = 1;

// The vocabulary of the ids in a file, and the marks of its documents.
struct TokenVocabulary {
    std::int32_t size = 0;             // 0: unknown
    std::int32_t begin = -1, end = -1; // ids of the marks; -1: none
    bool operator==(const TokenVocabulary &) const = default;
};

// The range of the ids in a file.
struct TokenExtent {
    TokenLayout layout = TokenLayout::NanoGpt;
    Bytes start = 0; // of the first id
    int width = 2;   // bytes of an id: 2 or 4
    std::int64_t count = 0;
    std::uint64_t tokenizer = 0; // checksum of the tokenizer; 0: unknown
    TokenVocabulary vocabulary = {};
    bool operator==(const TokenExtent &) const = default;
};

class TokenFile {
public:
    // Files up to this size are checked for ids outside the vocabulary when they are opened, larger ones when they are
    // read.
    static constexpr Bytes kCheckedAtOpen = kGiB;

    // Fault::Input if the file is missing, Fault::Damaged if it is truncated or has an id outside 0 .. vocab - 1.
    static Result<TokenFile> open(const std::filesystem::path &path, std::int64_t vocab);

    [[nodiscard]] std::int64_t size() const { return m_extent.count; } // number of ids
    [[nodiscard]] const TokenExtent &extent() const { return m_extent; }
    [[nodiscard]] const std::filesystem::path &path() const { return m_file.path(); }
    // Reads the ids begin .. begin + out.size() - 1, which must exist, and checks them.
    [[nodiscard]] Result<void> read(std::int64_t begin, std::span<std::int32_t> out) const;

private:
    TokenFile(InputFile file, TokenExtent extent, std::int64_t vocab);
    template<typename Take>
    Result<void> forIds(std::int64_t begin, std::int64_t count, const Take &take) const;
    [[nodiscard]] Result<void> checkAll() const;
    [[nodiscard]] Error outsideVocabulary(std::int64_t position, std::uint32_t id) const;

    InputFile m_file;
    TokenExtent m_extent;
    std::uint32_t m_vocab;
};

} // namespace slipway
