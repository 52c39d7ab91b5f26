// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The secret that the ranks of one run share: 256 random bits. Whoever knows it may join the run. It travels in a
// descriptor that our own launcher's ranks inherit, or in a file of mode 0600; never on a command line or in the
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

// A descriptor that child processes may inherit, of memory that no path names and that nobody can change.
Result<FileDescriptor> secretDescriptor(const RendezvousSecret &secret);
// Reads what secretDescriptor() made. The descriptor stays open, but this process's own children do not inherit it.
Result<RendezvousSecret> readSecret(int descriptor);

// The file holds 64 hexadecimal digits, as `openssl rand -hex 32` writes them. Reading refuses a file that is no
// regular one, is another user's, or lets other users read it.
Result<void> writeSecretFile(const std::filesystem::path &path, const RendezvousSecret &secret);
Result<RendezvousSecret> readSecretFile(const std::filesystem::path &path);

// Where the first rank leaves a secret that it made for the others: one file for each meeting of ranks.
std::filesystem::path secretFileIn(const std::filesystem::path &folder, std::string_view generation);

} // namespace slipway
