// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/checksum.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace slipway {

std::uint64_t checksum64(std::span<const std::byte> data) { return XXH3_64bits(data.data(), data.size()); }
std::string checksumOf(std::span<const std::byte> data) { return fmt::format("{:016x}", checksum64(data)); }

} // namespace slipway
