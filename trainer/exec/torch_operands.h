// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Helpers that several groups of LibTorch's ops share.
#pragma once

#include "exec/host_offsets.h"
#include "exec/op_operands.h"
#include "exec/torch_op_table.h"

namespace slipway {

// The operands of an op as tensors.
class Operands {
public:
    Operands(const OpCall &call, const TorchContext &context) : m_call(call), m_device(context.device) {}

    [[nodiscard]] at::ScalarType type() const { return m_call.kernel.type == DType::Bf16 ? at::kBFloat16 : at::kFloat; }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const
    {
        return tensorAt(m_call.reads[i], sizes, as, m_device);
    }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes, at::ScalarType as) const
    {
        return tensorAt(m_call.writes[i], sizes, as, m_device);
    }
    [[nodiscard]] at::Tensor read(std::size_t i, at::IntArrayRef sizes) const { return read(i, sizes, type()); }
    [[nodiscard]] at::Tensor write(std::size_t i, at::IntArrayRef sizes) const { return write(i, sizes, type()); }
    // addendOf() a GEMM with this result; undefined: none.
    [[nodiscard]] at::Tensor addend(const at::Tensor &result) const
    {
        return m_call.kernel.residual ? read(2, result.sizes(), result.scalar_type())
               : m_call.accumulate    ? result
                                      : at::Tensor();
    }

private:
    const OpCall &m_call;
    at::Device m_device;
};

// The rows of an activation function. With expert parallelism, the last operand contains the offsets of the rows that
// this rank's experts received.
inline std::int64_t activeRows(const OpCall &call, const TorchContext &context)
{
    if (call.kernel.k == 0)
        return call.kernel.m;
    const auto offsets = context.offsets->at(call.reads[call.readCount - 1], call.kernel.k + 1);
    return offsets.empty() ? 0 : offsets.back();
}

// The type of an op's operands for our own kernels, except fp8.
inline fused_ops::Float typeOf(const OpCall &call)
{
    return call.kernel.type == DType::Bf16 ? fused_ops::Float::Bf16 : fused_ops::Float::Fp32;
}

} // namespace slipway
