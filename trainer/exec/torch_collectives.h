// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives on device memory: by the DeviceGroup, or through host memory if there is none.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Null for other kinds of ops.
TorchOpFunction torchCollective(OpKind kind);

} // namespace slipway
