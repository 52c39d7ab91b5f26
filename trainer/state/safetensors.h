// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The safetensors format: a uint64 length, a JSON header of that length, then the tensors without gaps
// (github.com/huggingface/safetensors, README). Files are untrusted input: every size and offset is checked.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "data/input_file.h"
#include "data/output_file.h"

namespace slipway {

enum class TensorType { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };
template<>
struct EnumNames<TensorType> {
    static constexpr std::array<std::string_view, 10> names{
        "F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"};
};
Bytes sizeOf(TensorType type);

// A tensor in the file; `begin` and `end` are in bytes after the header.
struct TensorEntry {
    std::string name;
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> shape;
    Bytes begin = 0, end = 0;
    bool operator==(const TensorEntry &) const = default;
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors; // in the order of their bytes
    std::map<std::string, std::string> metadata;
    Bytes dataStart = 0;
    bool operator==(const SafetensorsHeader &) const = default;
};

inline constexpr Bytes kLargestSafetensorsHeader = 100'000'000; // the reference implementation's limit

// `beginning` contains at least the header of a file of `fileBytes` bytes; `where` names it in messages. Fault::Damaged
// if the file is malformed.
Result<SafetensorsHeader> parseSafetensors(
    std::span<const std::byte> beginning, Bytes fileBytes, const std::string &where);
// The same for a complete file in memory.
inline Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file, const std::string &where)
{
    return parseSafetensors(file, std::ssize(file), where);
}

class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path &path);
    [[nodiscard]] const SafetensorsHeader &header() const { return m_header; }
    [[nodiscard]] const TensorEntry *find(std::string_view name) const; // null if there is none
    // Fills `out` with bytes of a tensor, from the tensor's byte `from` on.
    [[nodiscard]] Result<void> read(const TensorEntry &tensor, Bytes from, std::span<std::byte> out) const;
    // checksumOf() all bytes of the tensor.
    [[nodiscard]] Result<std::string> checksum(const TensorEntry &tensor) const;

private:
    SafetensorsFile(InputFile file, SafetensorsHeader header);
    InputFile m_file;
    SafetensorsHeader m_header;
    std::map<std::string, std::size_t, std::less<>> m_places; // index in the header, by name
};

struct TensorToWrite {
    std::string name;
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> data;
};

// The data begins at a multiple of 64 bytes. Fault::Outside if the disk is full; the file is then removed.
Result<void> writeSafetensors(const std::filesystem::path &path, std::span<const TensorToWrite> tensors,
    const std::map<std::string, std::string> &metadata = {}, FileAccess access = FileAccess::OfUmask);

} // namespace slipway
