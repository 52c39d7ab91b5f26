// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "data/input_file.h"

namespace slipway {

// XXH3, 64 bits: detects damage at memory speed, but is no protection against attacks.
std::uint64_t checksum64(std::span<const std::byte> data);
// The checksum as 16 hexadecimal digits.
std::string checksumOf(std::span<const std::byte> data);
// The same for a range of a file.
Result<std::string> checksumOf(const InputFile &file, Bytes offset, Bytes size);

} // namespace slipway
