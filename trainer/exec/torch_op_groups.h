// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's ops in the groups of op_groups.h. Each group has its own file: normOp() is in torch_norm_ops.cpp. A
// function returns null for kinds of other groups. Collectives are in torch_collectives.h.
// The namespace keeps these functions apart from the ones of the CPU, which have the same names.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway::torch_ops {

TorchOpFunction modelEndOp(OpKind kind);
TorchOpFunction normOp(OpKind kind);
TorchOpFunction attentionOp(OpKind kind);
TorchOpFunction linearOp(OpKind kind); // includes the quantization of operands to fp8
TorchOpFunction elementwiseOp(OpKind kind);
TorchOpFunction expertOp(OpKind kind); // includes its collective
TorchOpFunction optimizerOp(OpKind kind);

} // namespace slipway::torch_ops
