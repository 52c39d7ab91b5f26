// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "base/result.h"
#include "model/model_spec.h"

namespace slipway {

// Whether a transformer of this shape can exist: sizes in range, heads that divide the width, key-value heads that
// divide the heads, an even head_dim for RoPE, experts that are not fewer than are asked for. Names the size by its
// flag.
Result<void> validateModel(const ModelSpec &model);

// hidden / heads, or an error that names sizes near by that divide.
Result<int> headDimOf(int hidden, int heads);

} // namespace slipway
