// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A file of token ids without an index: llm.c's or nanoGPT's.
#include "data/token_file.h"

#include <vector>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    constexpr std::int64_t kVocabulary = 32'000;
    const std::filesystem::path path = folder.path() / "train.bin";
    writeText(path, textOf(data, size));
    const Result<TokenFile> file = TokenFile::open(path, kVocabulary);
    if (!file)
        return 0;
    std::vector<std::int32_t> ids(static_cast<std::size_t>(file->size()));
    require(static_cast<bool>(file->read(0, ids)), "a file that was accepted can be read whole");
    for (const std::int32_t id : ids)
        require(id >= 0 && id < kVocabulary, "an id is of the vocabulary");
    return 0;
}
