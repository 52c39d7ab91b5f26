// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// An index of Megatron beside its file of ids. The first two bytes of the input are the size of the latter.
#include "data/megatron_index.h"

#include <vector>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    if (size < 2)
        return 0;
    const std::filesystem::path ids = folder.path() / "text.bin", index = folder.path() / "text.idx";
    writeText(ids, std::string(static_cast<std::size_t>(data[0]) + 256U * data[1], '\1'));
    writeText(index, textOf(data + 2, size - 2));
    constexpr std::int64_t kVocabulary = 70'000;
    const Result<TokenFile> file = TokenFile::open(ids, kVocabulary);
    if (!file)
        return 0;
    std::vector<std::int32_t> read(static_cast<std::size_t>(file->size()));
    (void)file->read(0, read);
    return 0;
}
