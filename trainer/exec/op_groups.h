// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops in groups. Each group has its own file of functions for each backend: attentionOp() is in attention_ops.cpp,
// torchAttentionOp() in torch_attention_ops.cpp. A function returns null for kinds of other groups.
#pragma once

#include "exec/op_table.h"

namespace slipway {

enum class OpGroup {
    ModelEnd,  // batch, embeddings, positions and loss
    Norm,      // norms of the residual stream
    Attention, // with RoPE and the norms of queries and keys
    Linear,    // GEMMs, biases and the conversion of operands to fp8
    Elementwise,
    Expert,
    Optimizer,
    Collective,
    Simulated, // ops of simulated frameworks, which are never executed
};

// The compiler warns about a kind that is missing here.
constexpr OpGroup opGroup(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch:
    case OpKind::Embedding:
    case OpKind::EmbeddingBackward:
    case OpKind::AddPositions:
    case OpKind::AddPositionsBackward:
    case OpKind::LogitStatistics:
    case OpKind::CrossEntropy:
        return OpGroup::ModelEnd;
    case OpKind::RmsNorm:
    case OpKind::AddRmsNorm:
    case OpKind::RmsNormBackward:
    case OpKind::LayerNorm:
    case OpKind::LayerNormBackward:
        return OpGroup::Norm;
    case OpKind::QkNorm:
    case OpKind::QkNormBackward:
    case OpKind::QkNormSquares:
    case OpKind::QkNormDots:
    case OpKind::Rope:
    case OpKind::RopeBackward:
    case OpKind::FlashAttention:
    case OpKind::FlashAttentionBackward:
    case OpKind::VanillaAttention:
    case OpKind::VanillaAttentionBackward:
    case OpKind::PackKeys:
    case OpKind::UnpackKeys:
        return OpGroup::Attention;
    case OpKind::Gemm:
    case OpKind::AddBias:
    case OpKind::BiasBackward:
    case OpKind::Quantize:
        return OpGroup::Linear;
    case OpKind::Scale:
    case OpKind::SwiGlu:
    case OpKind::SwiGluBackward:
    case OpKind::GatedActivation:
    case OpKind::GatedActivationBackward:
    case OpKind::Activation:
    case OpKind::ActivationBackward:
    case OpKind::Add:
    case OpKind::Zero:
    case OpKind::Cast:
        return OpGroup::Elementwise;
    case OpKind::Route:
    case OpKind::RouteBackward:
    case OpKind::CountExperts:
    case OpKind::Permute:
    case OpKind::PermuteBackward:
    case OpKind::Combine:
    case OpKind::CombineBackward:
    case OpKind::ReceivedRows:
    case OpKind::AllToAll:
    case OpKind::GroupedGemm:
    case OpKind::GateRows:
    case OpKind::GateRowsBackward:
        return OpGroup::Expert;
    case OpKind::SumSquares:
    case OpKind::AdamW:
    case OpKind::MuonMomentum:
    case OpKind::MuonNormalize:
    case OpKind::NewtonSchulz:
    case OpKind::MuonUpdate:
    case OpKind::Average:
    case OpKind::Exchange:
        return OpGroup::Optimizer;
    case OpKind::AllReduce:
    case OpKind::ReduceScatter:
    case OpKind::AllGather:
    case OpKind::Send:
    case OpKind::Receive:
        return OpGroup::Collective;
    case OpKind::Elementwise:
    case OpKind::HostCopy:
    case OpKind::View:
    case OpKind::SendReceive:
        return OpGroup::Simulated;
    }
    return OpGroup::Simulated;
}

OpFunction modelEndOp(OpKind kind);
OpFunction normOp(OpKind kind);
OpFunction attentionOp(OpKind kind);
OpFunction linearOp(OpKind kind);
OpFunction elementwiseOp(OpKind kind);
OpFunction expertOp(OpKind kind);
OpFunction optimizerOp(OpKind kind);
OpFunction collectiveOp(OpKind kind);

} // namespace slipway
