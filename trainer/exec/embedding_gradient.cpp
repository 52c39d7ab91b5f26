// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/embedding_gradient.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>

#include "exec/op_operands.h"
#include "exec/torch_operands.h"

namespace slipway {

// LibTorch's stable sort keeps the order of the rows of a token, so that their sum is bitwise reproducible.
void embeddingGradient(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const auto [rows, width] = std::pair(c.kernel.m, c.kernel.n);
    constexpr bool kStable = true;
    const auto [ids, places] = at::sort(tensorAt(c.reads[0], {rows}, at::kInt, t.device), kStable, 0, false);
    const fused_ops::Rows shape{rows, width};
    const at::Tensor parts =
        at::empty({fused_ops::embeddingParts(shape)}, at::TensorOptions(at::kFloat).device(t.device));
    if (!c.accumulate)
        tensorAt(c.writes[0], {c.kernel.k, width}, at::kFloat, t.device).zero_();
    t.kernels->embeddingBackward({.shape = shape,
                                     .type = typeOf(c),
                                     .dx = c.reads[1],
                                     .ids = ids.const_data_ptr<std::int32_t>(),
                                     .places = places.const_data_ptr<std::int64_t>(),
                                     .parts = parts.data_ptr<float>(),
                                     .table = c.write(0),
                                     .firstId = isSplit(c) ? vocabularyShard(c, step).first : 0,
                                     .tableRows = c.kernel.k},
        t.queue);
}

} // namespace slipway
