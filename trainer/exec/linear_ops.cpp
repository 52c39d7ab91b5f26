// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include <algorithm>
#include <tuple>

#include "cpu_ops/bias.h"
#include "cpu_ops/gemm.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

void gemm(const OpCall &c, const StepContext &)
{
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const auto *const addend = reinterpret_cast<const float *>(addendOf(c));
    for (std::int64_t i = 0; i < std::max(1, c.kernel.batch); ++i)
        cpu_ops::gemm({c.kernel.form, m, n, k}, c.read(0) + i * m * k, c.read(1) + i * k * n, c.write(0) + i * m * n,
            addend ? addend + i * m * n : nullptr);
}

void addBias(const OpCall &c, const StepContext &) { cpu_ops::addBias(rowsOf(c), c.read(1), c.write(0)); }
void biasBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::biasGradient(rowsOf(c), c.read(0), c.write(0), c.accumulate);
}

} // namespace

OpFunction linearOp(OpKind kind)
{
    switch (kind) {
    case OpKind::Gemm:
        return gemm;
    case OpKind::AddBias:
        return addBias;
    case OpKind::BiasBackward:
        return biasBackward;
    default:
        return nullptr;
    }
}

} // namespace slipway
