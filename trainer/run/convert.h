// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts Hugging Face folders to runs, and runs to Hugging Face folders.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "state/hf_weights.h"

namespace slipway {

// Creates a run directory with a checkpoint of step 0 from the folder's weights, for `run --resume`. An existing
// run.yaml must have the same model. Otherwise one is written with the model, and with the tokenizer if the folder has
// one.
Result<void> importHf(
    const std::filesystem::path &folder, const std::filesystem::path &run, const Catalogue &catalogue);

// Writes the latest checkpoint of a run as a folder that AutoModelForCausalLM.from_pretrained loads. Returns its step.
Result<std::int64_t> exportHf(const std::filesystem::path &run, const std::filesystem::path &folder, ExportType type,
    const Catalogue &catalogue, WeightsOf which = WeightsOf::Newest);

} // namespace slipway
