// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/megatron_index.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace slipway {

namespace {

constexpr std::string_view kMagic{"MMIDIDX\0\0", 9};
constexpr std::size_t kHeader = kMagic.size() + 8 + 1 + 8 + 8;

Error damaged(const std::filesystem::path &path, std::string what, std::string accepted = {})
{
    return {.what = std::move(what), .where = path.string(), .accepted = std::move(accepted), .fault = Fault::Damaged};
}

// Fields are not aligned.
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

Result<TokenExtent> megatronExtent(const MappedFile &ids, const std::filesystem::path &index)
{
    const Result<MappedFile> file = MappedFile::open(index);
    if (!file)
        return file.error();
    const std::span<const std::byte> bytes = file->bytes();
    if (bytes.size() < kHeader || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
        return damaged(index, "does not begin as an index of Megatron", "MMIDIDX");
    if (const auto version = fieldAt<std::uint64_t>(bytes, 9); version != 1)
        return damaged(index, "has version " + std::to_string(version), "1");
    const int type = static_cast<int>(fieldAt<std::uint8_t>(bytes, 17));
    if (type != 4 && type != 8)
        return damaged(index, "has ids of type " + std::to_string(type), "4 (int32) or 8 (uint16)");
    const auto sequences = fieldAt<std::uint64_t>(bytes, 18);
    const auto documents = fieldAt<std::uint64_t>(bytes, 26);
    const std::uint64_t room = bytes.size() - kHeader;
    if (sequences > room / 12 || documents > (room - sequences * 12) / 8 || room != sequences * 12 + documents * 8)
        return damaged(index, "was cut or is no index: " + std::to_string(sequences) + " sequences do not fill its " +
                                  std::to_string(bytes.size()) + " bytes");

    TokenExtent extent{.layout = TokenLayout::Megatron, .start = 0, .width = type == 4 ? 4 : 2, .count = 0};
    for (std::uint64_t i = 0; i < sequences; ++i) {
        const auto length = fieldAt<std::int32_t>(bytes, kHeader + i * 4);
        const auto offset = fieldAt<std::int64_t>(bytes, kHeader + sequences * 4 + i * 8);
        if (length < 0 || offset != extent.count * extent.width)
            return damaged(index, "sequence " + std::to_string(i) + " does not begin where the one before it ends");
        extent.count += length;
    }
    const auto size = static_cast<Bytes>(ids.bytes().size());
    if (size != extent.count * extent.width) {
        return damaged(ids.path(),
            "has " + std::to_string(size) + " bytes, but its index promises " + std::to_string(extent.count) + " ids",
            std::to_string(extent.count * extent.width) + " bytes");
    }
    return extent;
}

} // namespace slipway
