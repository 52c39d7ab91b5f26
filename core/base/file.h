// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Files that are never half-written: temporary file beside the target, fsync, rename, fsync of the folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

// Replaces `path` by `content`, or leaves it as it was. Fault::Outside with the system's reason (disk full,
// permission). A link stays one; what is no file (/dev/stdout, a pipe) is written to as it is.
Result<void> writeFileAtomically(const std::filesystem::path &path, std::string_view content);

// What a link leads to, so that writing leaves it a link; other paths as they are.
std::filesystem::path behindLinks(const std::filesystem::path &path);

// A pipe, a terminal, a device: nothing that a rename should replace.
bool isWrittenInPlace(const std::filesystem::path &path);

// Whole file as bytes. A file over `limit` is refused before memory is taken for it.
Result<std::string> readFile(const std::filesystem::path &path, Bytes limit = 64 * kMiB);

// The system's words for an errno value, without a newline.
std::string systemMessage(int errorNumber);

} // namespace slipway
