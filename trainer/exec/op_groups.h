// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops in groups. Each group has its own file of functions for each backend: attentionOp() is in attention_ops.cpp,
// torch_ops::attentionOp() in torch_attention_ops.cpp. A function returns null for kinds of other groups.
#pragma once

#include "exec/op_table.h"
#include "plan/op_group.h"

namespace slipway {

OpFunction modelEndOp(OpKind kind);
OpFunction normOp(OpKind kind);
OpFunction attentionOp(OpKind kind);
OpFunction linearOp(OpKind kind);
OpFunction elementwiseOp(OpKind kind);
OpFunction expertOp(OpKind kind);
OpFunction optimizerOp(OpKind kind);
OpFunction collectiveOp(OpKind kind);

} // namespace slipway
