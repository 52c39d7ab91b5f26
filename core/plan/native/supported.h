// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What our own trainer can run, said before anything is planned.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway::native {

// The error names the flag whose value our trainer does not run, or the model's module that it lacks, and what would
// do.
Result<void> checkSupported(const RunConfig &config, const ModelSpec &model);

// Where our own trainer has all of the model's modules: "cpu" in fp32, "cuda" in bf16.
std::vector<std::string> trainsOn(const ModelSpec &model);

} // namespace slipway::native
