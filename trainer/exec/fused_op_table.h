// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ops that our own kernels run (trainer/fused_ops), in place of several of LibTorch's: from operands of the plan to
// their arguments. The same on a GPU and, with the reference kernels, on the processor.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Null where no kernel of ours has the kind.
TorchOpFunction fusedOpFunction(const Kernel &kernel, const StepContext &step);

} // namespace slipway
