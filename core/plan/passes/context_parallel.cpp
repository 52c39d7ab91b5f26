// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Context parallelism with gathered keys. An all-gather before attention collects the keys and values of all ranks. A
// reduce-scatter after its backward distributes their gradients (Grattafiori et al. 2024, arXiv 2407.21783, section
// 3.3.2).
#include <utility>

#include "plan/passes/context_split.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

// The operand of attention that is qkv; empty for other ops.
std::optional<std::size_t> qkvOperand(OpKind kind)
{
    const bool forward = kind == OpKind::FlashAttention || kind == OpKind::VanillaAttention,
               backward = kind == OpKind::FlashAttentionBackward || kind == OpKind::VanillaAttentionBackward;
    return forward ? std::optional<std::size_t>(0) : backward ? std::optional<std::size_t>(1) : std::nullopt;
}

class GatheredKeys : public ContextSplit {
public:
    using ContextSplit::ContextSplit;

private:
    void replace(std::vector<Op> &ops, Op op) override
    {
        const std::optional<std::size_t> qkv = qkvOperand(m_b.plan.at(op.kernel).kind);
        const bool backward = qkv == 1;
        if (qkv) {
            gather(ops, op, op.reads[*qkv]);
            op.reads.push_back(at(keys("all_keys", ranks())));
            // The keys are copied into the order of their positions, and their gradients are in this order.
            op.kernel = m_b.kernel(attentionKernel(op, 2 * ranks(), backward ? 2 : 1, 0));
        }
        if (backward)
            op.writes.push_back(at(keys("all_dkeys", ranks())));
        ops.push_back(op);
        if (backward)
            scatter(ops, op, op.writes.front());
    }

    [[nodiscard]] KernelId collective(OpKind kind) const
    {
        return m_b.collective(kind, m_s.type, keyElements() * ranks(), m_group);
    }

    void gather(std::vector<Op> &ops, const Op &attention, Use qkv)
    {
        const BufferId own = keys("own_keys");
        ops.push_back(pack(attention, qkv, own));
        ops.push_back({.name = attention.name + "_gather_keys",
            .kernel = collective(OpKind::AllGather),
            .phase = attention.phase,
            .reads = {at(own)},
            .writes = {at(keys("all_keys", ranks()))}});
    }

    void scatter(std::vector<Op> &ops, const Op &attention, Use dQkv)
    {
        const BufferId own = keys("own_dkeys");
        ops.push_back({.name = attention.name + "_scatter_keys",
            .kernel = collective(OpKind::ReduceScatter),
            .phase = attention.phase,
            .reads = {at(keys("all_dkeys", ranks()))},
            .writes = {at(own)}});
        ops.push_back(unpack(attention, own, dQkv));
    }
};

} // namespace

StrategyPointer contextParallel(const StrategyParts &parts)
{
    const bool gathers = parts.config.contextExchange != ContextExchange::Ring;
    return parts.layout.sizes.contextRanks > 1 && gathers ? std::make_unique<GatheredKeys>(parts) : nullptr;
}

} // namespace slipway::native
