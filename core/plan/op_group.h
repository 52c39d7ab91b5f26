// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>

#include "plan/step_plan.h"

namespace slipway {

// Ops that belong together. Each group has its own function in kernel_work.cpp and its own files in the trainer.
enum class OpGroup : std::uint8_t {
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

// The group of every kind. It does not compile if a kind is missing or is listed twice.
consteval auto groupsOfOps()
{
    using enum OpKind;
    constexpr std::size_t kKinds = EnumNames<OpKind>::names.size();
    std::array<std::optional<OpGroup>, kKinds> found;
    const auto list = [&](OpGroup group, std::initializer_list<OpKind> kinds) {
        for (const OpKind kind : kinds) {
            auto &entry = found.at(static_cast<std::size_t>(kind));
            if (entry)
                throw std::logic_error("a kind is in two groups");
            entry = group;
        }
    };
    list(OpGroup::ModelEnd,
        {LoadBatch, Embedding, EmbeddingBackward, AddPositions, AddPositionsBackward, LogitStatistics, CrossEntropy});
    list(OpGroup::Norm, {RmsNorm, AddRmsNorm, RmsNormBackward, LayerNorm, LayerNormBackward});
    list(OpGroup::Attention,
        {QkNorm, QkNormBackward, QkNormSquares, QkNormDots, Rope, RopeBackward, FlashAttention, FlashAttentionBackward,
            VanillaAttention, VanillaAttentionBackward, PackKeys, UnpackKeys});
    list(OpGroup::Linear, {Gemm, AddBias, BiasBackward, Quantize});
    list(OpGroup::Elementwise, {Scale, SwiGlu, SwiGluBackward, GatedActivation, GatedActivationBackward, Activation,
                                   ActivationBackward, Add, Zero, Cast});
    list(OpGroup::Expert, {Route, RouteBackward, CountExperts, Permute, PermuteBackward, Combine, CombineBackward,
                              ReceivedRows, AllToAll, GroupedGemm, GateRows, GateRowsBackward});
    list(OpGroup::Optimizer,
        {SumSquares, AdamW, MuonMomentum, MuonNormalize, NewtonSchulz, MuonUpdate, Average, Exchange});
    list(OpGroup::Collective, {AllReduce, ReduceScatter, AllGather, Send, Receive});
    list(OpGroup::Simulated, {OpKind::Elementwise, HostCopy, View, SendReceive});
    std::array<OpGroup, kKinds> groups{};
    for (std::size_t i = 0; i < kKinds; ++i)
        groups.at(i) = found.at(i).value(); // throws if the kind is missing
    return groups;
}

inline constexpr auto kGroupsOfOps = groupsOfOps();

constexpr OpGroup opGroup(OpKind kind) { return kGroupsOfOps.at(static_cast<std::size_t>(kind)); }

} // namespace slipway
