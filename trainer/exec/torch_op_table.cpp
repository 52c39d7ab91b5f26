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
        return torch_ops::modelEndOp(kind);
    case OpGroup::Norm:
        return torch_ops::normOp(kind);
    case OpGroup::Attention:
        return torch_ops::attentionOp(kind);
    case OpGroup::Linear:
        return torch_ops::linearOp(kind);
    case OpGroup::Elementwise:
        return torch_ops::elementwiseOp(kind);
    case OpGroup::Optimizer:
        return torch_ops::optimizerOp(kind);
    case OpGroup::Collective:
        return torchCollective(kind);
    case OpGroup::Expert:
        return torch_ops::expertOp(kind);
    case OpGroup::Simulated:
        break;
    }
    return nullptr;
}

} // namespace slipway
