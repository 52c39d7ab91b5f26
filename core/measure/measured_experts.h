// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the experts of a row. They have no column, but the kind of MLP, the model's name and the note give them, as in
// "swiglu-moe", "Mixtral-8x7B", "64 experts, top-8", "num_experts=8 top_k=2", "EP8", "loop over experts".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

struct MeasuredExperts {
    std::vector<std::string> taken; // what was read, for the list of assumptions
    std::string fault;              // why the row cannot be expressed; empty where it can
};

// Sets the model's experts, their expert-parallel degree and how the framework runs them; nothing where the row
// is of a dense model.
MeasuredExperts readExperts(std::string_view mlpType, std::string_view notes, RunConfig &config, ModelSpec &model);

} // namespace slipway
