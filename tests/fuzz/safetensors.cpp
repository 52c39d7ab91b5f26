// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A safetensors file: every tensor that is accepted lies in the file.
#include "state/safetensors.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<SafetensorsHeader> header =
        parseSafetensors({reinterpret_cast<const std::byte *>(data), size}, "model.safetensors");
    if (!header)
        return 0;
    const Bytes end = static_cast<Bytes>(size) - header->dataStart;
    for (const TensorEntry &tensor : header->tensors)
        require(tensor.begin >= 0 && tensor.begin <= tensor.end && tensor.end <= end, "a tensor lies in its file");
    return 0;
}
