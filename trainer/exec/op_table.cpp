// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/op_table.h"

#include "exec/op_groups.h"

namespace slipway {

OpFunction opFunction(OpKind kind)
{
    switch (opGroup(kind)) {
    case OpGroup::ModelEnd:
        return modelEndOp(kind);
    case OpGroup::Norm:
        return normOp(kind);
    case OpGroup::Attention:
        return attentionOp(kind);
    case OpGroup::Linear:
        return linearOp(kind);
    case OpGroup::Elementwise:
        return elementwiseOp(kind);
    case OpGroup::Expert:
        return expertOp(kind);
    case OpGroup::Optimizer:
        return optimizerOp(kind);
    case OpGroup::Collective:
        return collectiveOp(kind);
    case OpGroup::Simulated:
        break;
    }
    return nullptr;
}

} // namespace slipway
