// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/checksum.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace slipway {

namespace {

constexpr Bytes kPiece = 4 * kMiB;

} // namespace

std::uint64_t checksum64(std::span<const std::byte> data) { return XXH3_64bits(data.data(), data.size()); }
std::string checksumOf(std::span<const std::byte> data) { return fmt::format("{:016x}", checksum64(data)); }

Result<std::string> checksumOf(const InputFile &file, Bytes offset, Bytes size)
{
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min(kPiece, size)));
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state(XXH3_createState(), XXH3_freeState);
    XXH3_64bits_reset(state.get());
    for (const Bytes end = offset + size; offset < end; offset += kPiece) {
        const std::span<std::byte> bytes(piece.data(), static_cast<std::size_t>(std::min(kPiece, end - offset)));
        if (const Result<void> read = file.read(offset, bytes); !read)
            return read.error();
        XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
    }
    return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

} // namespace slipway
