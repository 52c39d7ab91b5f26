// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// config.json of a model of Hugging Face.
#include "model/hf_config.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<ModelSpec> model = modelFromHfConfig(textOf(data, size), "config.json");
    if (model)
        require(parameterCount(*model) > 0, "a model that is accepted has parameters");
    return 0;
}
