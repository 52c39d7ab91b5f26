// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The secret that the ranks of one run share: 256 random bits. Anyone who knows it can join the run. It is passed by a
// file descriptor that ranks of our launcher inherit, or by a file of mode 0600, and never on a command line or in the
// environment.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace slipway {

struct RendezvousSecret {
    std::array<unsigned char, 32> bytes{};
    bool operator==(const RendezvousSecret &) const = default;
};

Result<RendezvousSecret> newSecret();

// An inheritable descriptor of sealed memory without a path (memfd).
Result<FileDescriptor> secretDescriptor(const RendezvousSecret &secret);
// Reads the secret of secretDescriptor(). The descriptor stays open, but children of this process do not inherit it.
Result<RendezvousSecret> readSecret(int descriptor);

// The file has 64 hexadecimal digits, as `openssl rand -hex 32` prints. Reading refuses files that are not regular,
// belong to another user, or are readable by others.
Result<void> writeSecretFile(const std::filesystem::path &path, const RendezvousSecret &secret);
Result<RendezvousSecret> readSecretFile(const std::filesystem::path &path);

// The file to which the first rank writes a new secret for the others, one per generation.
std::filesystem::path secretFileIn(const std::filesystem::path &folder, std::string_view generation);

} // namespace slipway
