// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Trainers whose code is known: what each does that no column of a table has.
#pragma once

#include <string>
#include <string_view>

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// What names a row's trainer.
struct RowTexts {
    std::string_view source; // repository, and the file or page in it
    std::string_view notes;  // lower case
    std::string model;       // lower case
};

// Sets what the trainers that a row names do, and the PyTorch that they ran where the row tells none. True where one of
// them takes AdamW as one fused kernel, or tensor by tensor: not in PyTorch's multi-tensor kernels.
bool applyTrainers(const RowTexts &row, RunConfig &config, ModelSpec &model);

} // namespace slipway
