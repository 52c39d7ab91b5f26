// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The inputs of `slipway-train tokenize`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct TextInput {
    std::string name;           // the path, or "standard input"
    bool standardInput = false; // else a file
    bool jsonLines = false;     // one document per line; else the whole input is one document
    Bytes size = 0;             // size on disk, possibly compressed; 0 for standard input
    std::int64_t modified = 0;  // modification time in ticks of the file system's clock
};

// Expands folders to the files in them, at any depth, in the order of their names. "-" is standard input. JSON lines
// are files named .jsonl or .ndjson and, with a `field`, also .json and standard input. These names may be followed by
// .gz, .zst or .xz.
Result<std::vector<TextInput>> listInputs(const std::vector<std::filesystem::path> &texts, const std::string &field);

} // namespace slipway
