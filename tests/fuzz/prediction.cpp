// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// prediction.json.
#include "predict/predict.h"

#include <nlohmann/json.hpp>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const nlohmann::json json = nlohmann::json::parse(textOf(data, size), nullptr, false);
    const Result<Prediction> prediction = predictionFromJson(json);
    if (prediction) {
        (void)toText(*prediction);
        (void)toJson(*prediction);
    }
    return 0;
}
