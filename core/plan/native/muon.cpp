// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/muon.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "model/model_weights.h"

namespace slipway::native {

namespace {

constexpr int kSteps = 5; // as in Jordan et al.
// Matrices of one shape are orthogonalized together, up to this many elements. Without a limit, experts would need as
// much memory as all their weights.
constexpr std::int64_t kMostElements = std::int64_t{1} << 25;

// Whole matrices of one shape that are adjacent in the unit.
struct Matrices {
    std::string name;
    std::int64_t offset = 0;            // of the first one in this rank's unit, in elements
    std::int64_t rows = 0, columns = 0; // as laid out, of all tensor-parallel ranks
    std::int64_t count = 1;
    float rate = 0; // times the learning rate
    WeightPlacement placement = WeightPlacement::Whole;
    int shards = 1, sharers = 1; // different shards of tensor-parallel ranks; ranks with the same one

    // Newton-Schulz works on the shorter side.
    [[nodiscard]] std::int64_t shorter() const { return std::min(rows, columns); }
    [[nodiscard]] std::int64_t longer() const { return std::max(rows, columns); }
    [[nodiscard]] std::int64_t elements() const { return rows * columns; }
    [[nodiscard]] bool joins(const Matrices &other) const
    {
        return rows == other.rows && columns == other.columns && rate == other.rate && sharers == other.sharers &&
               (count + 1) * elements() <= kMostElements;
    }
};

// Makes updates as large as AdamW's, so that both use the same learning rate and weight decay. 0.2 is the RMS of
// AdamW's updates (Liu et al. 2025, "Muon is scalable for LLM training", arXiv 2502.16982, section 2.2).
float rateOf(const ModelWeight &weight)
{
    return 0.2f * std::sqrt(static_cast<float>(std::max(weight.rows(), weight.columns())));
}

// The matrices of one unit.
class MatrixList {
public:
    MatrixList(const StepPlan &plan, const ParameterUnit &unit) : m_plan(plan), m_unit(unit) {}

    std::vector<Matrices> of(const ModelSpec &model)
    {
        const std::vector<WeightTensor> known = layerTensors(model);
        for (const ParameterTensor &tensor : m_plan.tensors) {
            if (tensor.parameter == m_unit.parameter)
                add(tensor, *std::ranges::find(known, tensor.name, &WeightTensor::name));
        }
        return std::move(m_all);
    }

private:
    void add(const ParameterTensor &tensor, const WeightTensor &weights)
    {
        // Expert-parallel ranks have equal numbers of experts, which all have the same shape.
        const std::size_t parts =
            weights.parts.size() / static_cast<std::size_t>(m_unit.experts ? m_plan.mesh.expert.size : 1);
        const auto shardsOf = [&](std::size_t i) {
            const bool replicated = tensor.replicatedRows > 0 && i > 0; // keys and values, which follow the queries
            return m_plan.mesh.tensor.size / (replicated ? m_plan.kvReplicas : 1);
        };
        const auto rowsOf = [&](std::size_t i) {
            const std::int64_t rows = weights.parts[i].rows();
            return tensor.placement == WeightPlacement::Rows ? ceilDiv(rows, std::int64_t{shardsOf(i)}) : rows;
        };
        std::int64_t rows = 0, offset = tensor.offset;
        for (std::size_t i = 0; i < parts; ++i)
            rows += rowsOf(i);
        const bool filledUp = rows != tensor.rows; // each part is padded in the same way
        for (std::size_t i = 0; i < parts; ++i) {
            const bool split = tensor.placement != WeightPlacement::Whole;
            Matrices one{.name = tensor.name + (parts > 1 ? "_" + std::to_string(i) : ""),
                .offset = offset,
                .rows = filledUp ? tensor.rows / static_cast<std::int64_t>(parts) : rowsOf(i),
                .columns = tensor.columns,
                .rate = rateOf(weights.parts[i]),
                .placement = tensor.placement,
                .shards = split ? shardsOf(i) : 1,
                .sharers = split ? m_plan.mesh.tensor.size / shardsOf(i) : 1};
            offset += one.elements();
            (one.placement == WeightPlacement::Columns ? one.columns : one.rows) *= one.shards;
            if (i > 0 && m_all.back().joins(one))
                ++m_all.back().count;
            else
                m_all.push_back(std::move(one));
        }
    }

    const StepPlan &m_plan;
    const ParameterUnit &m_unit;
    std::vector<Matrices> m_all;
};

class MuonOps {
public:
    MuonOps(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit)
        : m_builder(builder),
          m_l(layout),
          m_unit(unit),
          m_tensorRanks(unit.whole ? 1 : layout.sizes.tensorRanks),
          m_dataShards(static_cast<int>(unit.padded / unit.shardElements))
    {
    }

    std::vector<Op> of(const std::vector<Matrices> &all)
    {
        declareBuffers(all);
        if (m_update)
            gatherUpdate();
        for (const Matrices &matrices : all)
            orthogonalize(matrices);
        for (const std::optional<BufferId> buffer :
            {m_update, std::optional(m_x), std::optional(m_next), std::optional(m_gram), std::optional(m_square)}) {
            if (buffer)
                m_ops.back().frees.push_back(at(*buffer));
        }
        return std::move(m_ops);
    }

private:
    void declareBuffers(const std::vector<Matrices> &all)
    {
        std::int64_t whole = 0, gram = 0;
        for (const Matrices &m : all) {
            whole = std::max(whole, m.count * m.elements());
            gram = std::max(gram, m.count * m.shorter() * m.shorter());
        }
        m_x = buffer("x", whole), m_next = buffer("next_x", whole);
        m_gram = buffer("gram", gram), m_square = buffer("square", gram);
        if (m_tensorRanks * m_dataShards > 1)
            m_update = buffer("update", m_tensorRanks * m_unit.padded, Role::Communication);
    }

    BufferId buffer(const char *name, std::int64_t elements, Role role = Role::Workspace)
    {
        return m_builder.buffer({.name = m_unit.name + ".muon_" + name,
            .bytes = elements * sizeOf(m_l.sizes.type),
            .type = m_l.sizes.type,
            .role = role,
            .scope = Scope::Step});
    }

    // The update of the whole unit on every rank, from the shards of all ranks: first over the ranks that shard
    // optimizer states, then over those that shard matrices. All ranks then compute the same ("Distributed Muon", Liu
    // et al. 2025, section 2.3; Megatron-LM's mode "duplicated" for tensor parallelism).
    void gatherUpdate()
    {
        const DType type = m_l.sizes.type;
        const BufferId local =
            m_tensorRanks > 1 ? buffer("local_update", m_unit.padded, Role::Communication) : *m_update;
        add("momentum", momentumOf(m_unit.shardElements), {ownPart(m_builder.plan, m_unit, m_unit.gradient), norm()},
            {at(m_unit.momentum), ownPart(m_builder.plan, m_unit, local)});
        if (m_dataShards > 1) {
            const KernelId gather =
                m_builder.collective(OpKind::AllGather, type, m_unit.padded, shardGroupOf(m_builder.plan, m_unit));
            add("update_gather", gather, {ownPart(m_builder.plan, m_unit, local)}, {at(local)});
            m_ops.back().stream = Stream::Gather;
        }
        if (m_tensorRanks == 1)
            return;
        const KernelId gather =
            m_builder.collective(OpKind::AllGather, type, m_tensorRanks * m_unit.padded, m_l.tensorGroup);
        add("update_gather_tensor", gather, {at(local)}, {at(*m_update)});
        m_ops.back().stream = Stream::Reduce; // as all collectives of the group
        m_ops.back().frees.push_back(at(local));
    }

    void orthogonalize(const Matrices &m)
    {
        const std::int64_t side = m.shorter();
        BufferId x = m_x, next = m_next;
        const Use gram = at(m_gram), square = at(m_square);
        if (!m_update)
            add(m.name + "_momentum", momentumOf(m.count * m.elements()), {from(m_unit.gradient, m), norm()},
                {from(m_unit.momentum, m), at(next)});
        add(m.name + "_normalize", ofMatrices(OpKind::MuonNormalize, m), {m_update ? from(*m_update, m) : at(next)},
            {at(x)});
        for (int step = 0; step < kSteps; ++step) {
            const std::string name = m.name + "_" + std::to_string(step);
            add(name + "_gram", gemm(GemmForm::Forward, m, side, m.longer()), {at(x), at(x)}, {gram});
            add(name + "_square", gemm(GemmForm::InputGradient, m, side, side), {gram, gram}, {square});
            add(name + "_polynomial", polynomial(m), {gram, square}, {square});
            add(name + "_product", gemm(GemmForm::InputGradient, m, m.longer(), side), {square, at(x)}, {at(next)});
            std::swap(x, next);
        }
        add(m.name + "_update", ofMatrices(OpKind::MuonUpdate, m), {at(x)},
            {ownPart(m_builder.plan, m_unit, m_unit.parameter), ownPart(m_builder.plan, m_unit, m_unit.master)});
    }

    void add(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes)
    {
        m_ops.push_back({.name = std::move(name),
            .kernel = kernel,
            .phase = Phase::Optimizer,
            .reads = std::move(reads),
            .writes = std::move(writes)});
    }
    [[nodiscard]] Use norm() const { return at(m_l.norm2Sum); }
    [[nodiscard]] Use from(BufferId buffer, const Matrices &m) const
    {
        return {.buffer = buffer, .offset = m.offset * sizeOf(m_builder.plan.at(buffer).type)};
    }
    KernelId momentumOf(std::int64_t elements)
    {
        return m_builder.kernel({.kind = OpKind::MuonMomentum, .type = m_l.sizes.type, .m = 1, .n = elements});
    }
    KernelId polynomial(const Matrices &m)
    {
        return m_builder.kernel({.kind = OpKind::NewtonSchulz,
            .type = m_l.sizes.type,
            .m = m.shorter(),
            .n = m.shorter(),
            .batch = static_cast<std::int32_t>(m.count)});
    }
    KernelId ofMatrices(OpKind kind, const Matrices &m)
    {
        const bool update = kind == OpKind::MuonUpdate;
        return m_builder.kernel({.kind = kind,
            .type = m_l.sizes.type,
            .m = m.rows,
            .n = m.columns,
            .k = update ? m.offset : 0,
            .batch = static_cast<std::int32_t>(m.count),
            .unit = static_cast<std::int32_t>(
                std::ranges::find(m_builder.plan.units, m_unit) - m_builder.plan.units.begin()),
            .scale = update ? m.rate : 0,
            .group = m.shards > 1 ? m_l.tensorGroup : GroupId::None,
            .placement = m.placement,
            .sharers = m.sharers,
            .parts = update ? m.shards * m_dataShards : 1});
    }
    // A GEMM with `shorter` rows. `k` is the inner size.
    KernelId gemm(GemmForm form, const Matrices &m, std::int64_t n, std::int64_t k)
    {
        return m_builder.kernel({.kind = OpKind::Gemm,
            .type = m_l.sizes.type,
            .form = form,
            .cost = CostClass::Optimizer,
            .m = m.shorter(),
            .n = n,
            .k = k,
            .batch = m.count > 1 ? static_cast<std::int32_t>(m.count) : 0});
    }

    PlanBuilder &m_builder;
    const Layout &m_l;
    const ParameterUnit &m_unit;
    const int m_tensorRanks, m_dataShards; // over which the unit is sharded
    BufferId m_x{}, m_next{}, m_gram{}, m_square{};
    std::optional<BufferId>
        m_update; // of the whole unit, in the layouts of all tensor-parallel ranks; none: not sharded
    std::vector<Op> m_ops;
};

} // namespace

std::vector<Op> muonOps(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit)
{
    return MuonOps(builder, layout, unit).of(MatrixList(builder.plan, unit).of(model));
}

} // namespace slipway::native
