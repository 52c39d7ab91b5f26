// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Collectives of what lies on a device: by the device's own group, else through the host's memory.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Null where the kind is none.
TorchOpFunction torchCollective(OpKind kind);

} // namespace slipway
