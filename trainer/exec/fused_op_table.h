// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ops that our fused kernels (trainer/fused_ops) run in place of several of LibTorch's: converts operands of the plan
// to their arguments, on a GPU and, with the reference kernels, on the CPU.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Null if we have no kernel of this kind.
TorchOpFunction fusedOpFunction(const Kernel &kernel, const StepContext &step);

} // namespace slipway
