// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Megatron's pair of files (NVIDIA/Megatron-LM, megatron/core/datasets/indexed_dataset.py). FILE.idx holds
// "MMIDIDX\0\0", a uint64 version 1, a byte for the type of an id (4: int32, 8: uint16), uint64 counts of sequences and
// documents, then an int32 length and an int64 byte offset of each sequence. FILE.bin holds the ids.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "data/token_file.h"

namespace slipway {

struct MegatronPaths {
    std::filesystem::path ids, index;
};

// The pair of files that `path` belongs to, if it is FILE.idx, or if an .idx file of the same name exists.
std::optional<MegatronPaths> megatronPaths(const std::filesystem::path &path);

// The range of the ids in `ids`. The sequences must be contiguous and fill the file, as Megatron's builder writes them.
Result<TokenExtent> megatronExtent(const InputFile &ids, const std::filesystem::path &index);

} // namespace slipway
