// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "base/result.h"
#include "model/model_spec.h"

namespace slipway {

// Checks that a transformer of this shape is possible: sizes in range, heads that divide the hidden size, key-value
// heads that divide the heads, an even head_dim for RoPE, and at least as many experts as each token uses. Errors name
// the flag.
Result<void> validateModel(const ModelSpec &model);

// hidden / heads, or an error that names the nearest valid sizes.
Result<int> headDimOf(int hidden, int heads);

} // namespace slipway
