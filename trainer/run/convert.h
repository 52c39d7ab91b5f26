// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs out of Hugging Face folders, and folders out of runs.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "state/hf_weights.h"

namespace slipway {

// A run directory whose checkpoint of step 0 holds the folder's weights, for `run --resume`. A run.yaml that is there
// must ask for the same model; else one is written that names the model, and its tokenizer where the folder has one.
Result<void> importHf(
    const std::filesystem::path &folder, const std::filesystem::path &run, const Catalogue &catalogue);

// The newest checkpoint of a run as a folder that AutoModelForCausalLM.from_pretrained loads. Its step.
Result<std::int64_t> exportHf(const std::filesystem::path &run, const std::filesystem::path &folder, ExportType type,
    const Catalogue &catalogue, WeightsOf which = WeightsOf::Newest);

} // namespace slipway
