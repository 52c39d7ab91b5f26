// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <string>

#include "plan/simulated_layer_writer.h"

namespace slipway {

// Records a norm of the residual stream. `fused`: the same kernel adds the residual.
Value recordNorm(const LayerWriter &writer, Value x, const std::string &name, bool fused = false);

// Records the norm of queries and keys if the model has one (OLMoE, Qwen 3); otherwise returns `x`. `width`: elements
// per token.
Value recordQkNorm(const LayerWriter &writer, Value x, const std::string &name, std::int64_t width);

} // namespace slipway
