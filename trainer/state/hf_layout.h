// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts the values of weights to the tensors of Hugging Face's files (hf_names.h) and back.
#pragma once

#include <span>
#include <vector>

#include "model/hf_names.h"

namespace slipway {

// Whether the tensor is one weight without change.
bool isOneWeight(const HfTensor &tensor);

// The row-major values of the tensor, from the values of its weights in its order.
std::vector<float> joinedParts(const HfTensor &tensor, std::span<const float *const> parts);

// The inverse. Each element of `parts` points to enough memory for its weight.
void splitIntoParts(const HfTensor &tensor, std::span<const float> values, std::span<float *const> parts);

} // namespace slipway
