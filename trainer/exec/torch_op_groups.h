// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's ops in the groups of op_groups.h. Each group has its own file: torchNormOp() is in torch_norm_ops.cpp. A
// function returns null for kinds of other groups. Collectives are in torch_collectives.h.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

TorchOpFunction torchModelEndOp(OpKind kind);
TorchOpFunction torchNormOp(OpKind kind);
TorchOpFunction torchAttentionOp(OpKind kind);
TorchOpFunction torchLinearOp(OpKind kind); // includes the quantization of operands to fp8
TorchOpFunction torchElementwiseOp(OpKind kind);
TorchOpFunction torchExpertOp(OpKind kind); // includes its collective
TorchOpFunction torchOptimizerOp(OpKind kind);

} // namespace slipway
