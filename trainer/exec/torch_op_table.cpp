// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/torch_op_table.h"

#include <ATen/ops/from_blob.h>

#include "exec/op_groups.h"
#include "exec/torch_collectives.h"
#include "exec/torch_op_groups.h"

namespace slipway {

at::Tensor tensorAt(const std::byte *address, at::IntArrayRef sizes, at::ScalarType type, at::Device device)
{
    return at::for_blob(const_cast<std::byte *>(address), sizes)
        .options(at::TensorOptions(type).device(device))
        .target_device(device)
        .make_tensor();
}

TorchOpFunction torchOpFunction(OpKind kind)
{
    switch (opGroup(kind)) {
    case OpGroup::ModelEnd:
        return torchModelEndOp(kind);
    case OpGroup::Norm:
        return torchNormOp(kind);
    case OpGroup::Attention:
        return torchAttentionOp(kind);
    case OpGroup::Linear:
        return torchLinearOp(kind);
    case OpGroup::Elementwise:
        return torchElementwiseOp(kind);
    case OpGroup::Optimizer:
        return torchOptimizerOp(kind);
    case OpGroup::Collective:
        return torchCollective(kind);
    case OpGroup::Expert:
        return torchExpertOp(kind);
    case OpGroup::Simulated:
        break;
    }
    return nullptr;
}

} // namespace slipway
