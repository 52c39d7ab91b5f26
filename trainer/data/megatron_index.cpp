// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/megatron_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway {

namespace {

constexpr std::string_view kMagic{"MMIDIDX\0\0", 9};
constexpr std::size_t kHeader = kMagic.size() + 8 + 1 + 8 + 8;
constexpr std::uint64_t kSequencesPerRead = 1 << 16;

Error notMegatron(const std::filesystem::path &path)
{
    return damagedFile(path, "does not begin like an index of Megatron-LM", "MMIDIDX");
}

// Reads a field that may be unaligned.
template<typename T>
T fieldAt(std::span<const std::byte> bytes, std::size_t offset)
{
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

} // namespace

std::optional<MegatronPaths> megatronPaths(const std::filesystem::path &path)
{
    std::filesystem::path ids = path, index = path;
    if (path.extension() == ".idx")
        return MegatronPaths{.ids = ids.replace_extension(".bin"), .index = path};
    std::error_code ignored;
    if (index.replace_extension(".idx"); std::filesystem::exists(index, ignored))
        return MegatronPaths{.ids = path, .index = index};
    return std::nullopt;
}

Result<TokenExtent> megatronExtent(const InputFile &ids, const std::filesystem::path &index)
{
    const Result<InputFile> file = InputFile::open(index);
    if (!file)
        return file.error();
    std::array<std::byte, kHeader> bytes{};
    const Result<void> begins =
        file->size() < std::ssize(bytes) ? Result<void>(notMegatron(index)) : file->read(0, bytes);
    if (!begins)
        return begins.error();
    if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
        return notMegatron(index);
    if (const auto version = fieldAt<std::uint64_t>(bytes, 9); version != 1)
        return damagedFile(index, "has version " + std::to_string(version), "1");
    const int type = static_cast<int>(fieldAt<std::uint8_t>(bytes, 17));
    if (type != 4 && type != 8)
        return damagedFile(index, "has ids of type " + std::to_string(type), "4 (int32) or 8 (uint16)");
    const auto sequences = fieldAt<std::uint64_t>(bytes, 18);
    const auto documents = fieldAt<std::uint64_t>(bytes, 26);
    const std::uint64_t room = static_cast<std::uint64_t>(file->size()) - kHeader;
    if (sequences > room / 12 || documents > (room - sequences * 12) / 8 || room != sequences * 12 + documents * 8)
        return damagedFile(index, "is truncated or not an index: " + std::to_string(sequences) +
                                      " sequences do not fill its " + std::to_string(file->size()) + " bytes");

    TokenExtent extent{.layout = TokenLayout::Megatron, .start = 0, .width = type == 4 ? 4 : 2, .count = 0};
    std::vector<std::int32_t> lengths(std::min(sequences, kSequencesPerRead));
    std::vector<std::int64_t> offsets(lengths.size());
    for (std::uint64_t first = 0; first < sequences; first += kSequencesPerRead) {
        const std::size_t count = std::min(kSequencesPerRead, sequences - first);
        const Bytes lengthsAt = static_cast<Bytes>(kHeader + first * 4),
                    offsetsAt = static_cast<Bytes>(kHeader + sequences * 4 + first * 8);
        Result<void> read = file->read(lengthsAt, std::as_writable_bytes(std::span(lengths).first(count)));
        if (read)
            read = file->read(offsetsAt, std::as_writable_bytes(std::span(offsets).first(count)));
        if (!read)
            return read.error();
        for (std::size_t i = 0; i < count; ++i) {
            // The sum does not exceed the size of the file, so it cannot overflow.
            if (lengths[i] < 0 || offsets[i] != extent.count * extent.width || extent.count > ids.size())
                return damagedFile(
                    index, "sequence " + std::to_string(first + i) + " does not begin where the one before it ends");
            extent.count += lengths[i];
        }
    }
    const Bytes size = ids.size();
    if (size != extent.count * extent.width) {
        return damagedFile(ids.path(),
            "has " + std::to_string(size) + " bytes, but its index promises " + std::to_string(extent.count) + " ids",
            std::to_string(extent.count * extent.width) + " bytes");
    }
    return extent;
}

} // namespace slipway
