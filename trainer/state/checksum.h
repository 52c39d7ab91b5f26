// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace slipway {

// XXH3 with 64 bits as 16 hexadecimal digits: finds damage at the speed of memory, is no defence against an attacker.
std::string checksumOf(std::span<const std::byte> data);

} // namespace slipway
