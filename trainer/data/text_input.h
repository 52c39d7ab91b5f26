// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The files whose text is tokenized.
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
    bool jsonLines = false;     // a document in each line; else the whole input is one document
    Bytes size = 0;             // as it lies on the disk, perhaps compressed; 0 of standard input
    std::int64_t modified = 0;  // ticks of the file system's clock
};

// A folder stands for the files in it, at any depth, in the order of their names; "-" for standard input. JSON lines
// are files named .jsonl or .ndjson; with a `field`, also .json and standard input. Behind these names may stand .gz,
// .zst or .xz.
Result<std::vector<TextInput>> listInputs(const std::vector<std::filesystem::path> &texts, const std::string &field);

} // namespace slipway
