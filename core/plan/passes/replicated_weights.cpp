// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tensor-parallel ranks that have the same weights sum their gradients, because each has computed them for its tokens
// or its heads. Norms are on all ranks. If there are fewer key-value heads than ranks, several ranks have the rows of
// one.
#include "plan/native/op_writer.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class ReplicatedWeights : public Strategy {
public:
    ReplicatedWeights(PlanBuilder &builder, const Layout &layout) : m_b(builder), m_l(layout) {}

    void reduceGradients(std::vector<Op> &ops, const ParameterUnit &unit, MicroBatchKind kind) const override
    {
        if (!m_l.data.everyMicroBatch && !kind.last)
            return;
        const Use full = at(m_l.data.ownGradientBuffer(kind.first) ? *unit.fullGradient : unit.gradient);
        if (unit.whole)
            ops.push_back(sum(unit.name + "_tensor_reduce", unit.elements, m_l.tensorGroup, full));
        for (const ParameterTensor &tensor : m_b.plan.tensors) {
            if (tensor.parameter != unit.parameter || tensor.replicatedRows == 0)
                continue;
            Use rows = full;
            rows.offset =
                (tensor.offset + (tensor.rows - tensor.replicatedRows) * tensor.columns) * sizeOf(DType::Fp32);
            ops.push_back(sum(unit.name + "_" + tensor.name + "_key_reduce", tensor.replicatedRows * tensor.columns,
                *m_l.keyGroup, rows));
        }
    }

private:
    [[nodiscard]] Op sum(const std::string &name, std::int64_t elements, GroupId group, Use gradients) const
    {
        return {.name = name,
            .kernel = m_b.collective(OpKind::AllReduce, DType::Fp32, elements, group),
            .stream = Stream::Reduce,
            .phase = Phase::Backward,
            .reads = {gradients},
            .writes = {gradients}};
    }

    PlanBuilder &m_b;
    const Layout &m_l;
};

} // namespace

StrategyPointer replicatedWeights(const StrategyParts &parts)
{
    return parts.layout.sizes.tensorRanks > 1 ? std::make_unique<ReplicatedWeights>(parts.builder, parts.layout)
                                              : nullptr;
}

} // namespace slipway::native
