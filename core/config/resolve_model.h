// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From what the user wrote to a model's shape, and the checks that need both.
#pragma once

#include "base/result.h"
#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "model/model_spec.h"

namespace slipway {

// Preset or public model of the catalogue, a size between the presets ("700M", on the paper's curve), a shape's
// FILE.yaml, or a Hugging Face config.json (file or folder); then the user's own sizes on top. Where `hidden` or
// `heads` are changed, head_dim follows as hidden / heads; where `hidden` is changed and `ffn` is not, ffn keeps its
// ratio; where `heads` is changed and every head had its own keys, kv_heads follows.
Result<ModelSpec> resolveModel(const ModelChoice &choice, const Catalogue &catalogue);
// Whether sizes differ from those of the named model. resolveModel() then names the model "custom, 2.56M".
bool isCustom(const ModelSpec &model);

// The configuration with all sizes of the model, including those that the user did not set, for readers without a
// catalogue. It resolves to the same model.
RunConfig withSizesOf(RunConfig config, const ModelSpec &model);

// What can be wrong between settings that are each in range: ranks that the mesh does not divide, heads that do not
// divide over tp, more positions than the model has. The error's `where` is the flag.
Result<void> validate(const RunConfig &config, const ModelSpec &model);
// The part of it that says whether the experts divide over the mesh.
Result<void> validateExperts(const Parallelism &mesh, const ModelSpec &model);

} // namespace slipway
