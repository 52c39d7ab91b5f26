// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether a mesh of ranks can hold a model and its sequences: what holds for every framework, and what our own trainer
// needs (trainer_mesh.h). What a simulated framework lacks says its builder of plans.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// The error names the flag, the value and the nearest values that would do. validateExperts() in resolve_model.h is a
// part of it.
Result<void> validateMesh(const RunConfig &config, const ModelSpec &model);

// Whether `tp` ranks can share the heads. Ranks beyond the key-value heads have copies of one.
bool dividesHeads(int tp, const AttentionModule &attention);
// Whether `cp` ranks can share a sequence. Each rank of our own trainer has two chunks of it.
bool dividesSequence(int cp, const RunConfig &config);

// The error of a flag: what is wrong with its value, and what it accepts.
Error flagError(const char *flag, std::string what, std::string accepted);

// The nearest numbers from 1 to `most`, below and above, with which `holds` is true: "4 or 8"; empty where there are
// none.
std::string nearest(std::int64_t value, std::int64_t most, const std::function<bool(std::int64_t)> &holds);

// The nearest sizes of this axis, at most `most`, with which the mesh passes all checks of validateMesh(): "4 or 8". If
// another setting has to change with it: "4 with --parallel ddp, or 6 with --gpus 6".
std::string nearestMesh(const RunConfig &config, const ModelSpec &model, int Parallelism::*axis, std::int64_t most);

} // namespace slipway
