// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The values of weights on their way into the tensors of Hugging Face's files (hf_names.h) and back.
#pragma once

#include <span>
#include <vector>

#include "model/hf_names.h"

namespace slipway {

// Whether the tensor is one weight as it is.
bool isOneWeight(const HfTensor &tensor);

// The tensor's values, row-major; `parts` are those of its weights, in its order.
std::vector<float> joinedParts(const HfTensor &tensor, std::span<const float *const> parts);

// The other way round. Parts have room for their weights.
void splitIntoParts(const HfTensor &tensor, std::span<const float> values, std::span<float *const> parts);

} // namespace slipway
