// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/muon.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/model_weights.h"

namespace slipway::native {

namespace {

constexpr int kSteps = 5; // as in Jordan et al.
// Matrices of one shape are orthogonalized together, up to this many elements. Without a limit, experts would need as
// much memory as all their weights.
constexpr std::int64_t kMostElements = std::int64_t{1} << 25;

// Matrices of one shape that are adjacent in the unit.
struct Matrices {
    std::string name;
    std::int64_t offset = 0;            // of the first one, in elements
    std::int64_t rows = 0, columns = 0; // as laid out
    std::int64_t count = 1;
    float rate = 0; // times the learning rate

    // Newton-Schulz works on the shorter side.
    [[nodiscard]] std::int64_t shorter() const { return std::min(rows, columns); }
    [[nodiscard]] std::int64_t longer() const { return std::max(rows, columns); }
    [[nodiscard]] std::int64_t elements() const { return rows * columns; }
    [[nodiscard]] bool joins(const Matrices &other) const
    {
        return rows == other.rows && columns == other.columns && rate == other.rate &&
               (count + 1) * elements() <= kMostElements;
    }
};

// Makes updates as large as AdamW's, so that both use the same learning rate and weight decay. 0.2 is the RMS of
// AdamW's updates (Liu et al. 2025, "Muon is scalable for LLM training", arXiv 2502.16982, section 2.2).
float rateOf(const ModelWeight &weight)
{
    return 0.2f * std::sqrt(static_cast<float>(std::max(weight.rows(), weight.columns())));
}

std::vector<Matrices> matricesOf(const StepPlan &plan, const ModelSpec &model, const ParameterUnit &unit)
{
    const std::vector<WeightTensor> known = layerTensors(model);
    std::vector<Matrices> all;
    std::size_t next = 0;
    for (const ParameterTensor &tensor : plan.tensors) {
        if (tensor.parameter != unit.parameter)
            continue;
        const WeightTensor &weights = known.at(next++);
        if (weights.kind != ParameterKind::Matrix)
            continue;
        const bool filledUp = weights.rows() != tensor.rows; // each part is padded in the same way
        std::int64_t offset = tensor.offset;
        for (std::size_t i = 0; i < weights.parts.size(); ++i) {
            const ModelWeight &part = weights.parts[i];
            Matrices one{.name = tensor.name + (weights.parts.size() > 1 ? "_" + std::to_string(i) : ""),
                .offset = offset,
                .rows = filledUp ? tensor.rows / std::ssize(weights.parts) : part.rows(),
                .columns = tensor.columns,
                .rate = rateOf(part)};
            offset += one.elements();
            if (i > 0 && all.back().joins(one))
                ++all.back().count;
            else
                all.push_back(std::move(one));
        }
    }
    return all;
}

struct Buffers {
    BufferId x{}, next{}, gram{}, square{};
};

Buffers declareBuffers(PlanBuilder &b, const std::vector<Matrices> &all, DType type)
{
    std::int64_t whole = 0, gram = 0;
    for (const Matrices &m : all) {
        whole = std::max(whole, m.count * m.elements());
        gram = std::max(gram, m.count * m.shorter() * m.shorter());
    }
    const auto buffer = [&](const char *name, std::int64_t elements) {
        return b.buffer({.name = name,
            .bytes = elements * sizeOf(type),
            .type = type,
            .role = Role::Workspace,
            .scope = Scope::Step});
    };
    return {
        buffer("muon_x", whole), buffer("muon_next_x", whole), buffer("muon_gram", gram), buffer("muon_square", gram)};
}

class MuonOps {
public:
    MuonOps(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit, const Buffers &buffers)
        : m_builder(builder),
          m_l(layout),
          m_unit(unit),
          m_buffers(buffers)
    {
    }

    void update(const Matrices &m)
    {
        const std::int64_t side = m.shorter();
        BufferId x = m_buffers.x, next = m_buffers.next;
        const Use gram = at(m_buffers.gram), square = at(m_buffers.square);
        add(m.name + "_momentum", kernel(OpKind::MuonMomentum, m, m.rows, m.columns),
            {from(m_unit.gradient, m), at(m_l.norm2Sum)}, {from(m_unit.momentum, m), at(x)});
        for (int step = 0; step < kSteps; ++step) {
            const std::string name = m.name + "_" + std::to_string(step);
            add(name + "_gram", gemm(GemmForm::Forward, m, side, m.longer()), {at(x), at(x)}, {gram});
            add(name + "_square", gemm(GemmForm::InputGradient, m, side, side), {gram, gram}, {square});
            add(name + "_polynomial", kernel(OpKind::NewtonSchulz, m, side, side), {gram, square}, {square});
            add(name + "_product", gemm(GemmForm::InputGradient, m, m.longer(), side), {square, at(x)}, {at(next)});
            std::swap(x, next);
        }
        add(m.name + "_update", kernel(OpKind::MuonUpdate, m, m.rows, m.columns, m.rate), {at(x)},
            {from(m_unit.parameter, m), from(m_unit.master, m)});
    }

    // All buffers are allocated from the first weight to the last.
    std::vector<Op> take()
    {
        for (const BufferId buffer : {m_buffers.x, m_buffers.next, m_buffers.gram, m_buffers.square})
            m_ops.back().frees.push_back(at(buffer));
        return std::move(m_ops);
    }

private:
    void add(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes)
    {
        m_ops.push_back({.name = std::move(name),
            .kernel = kernel,
            .phase = Phase::Optimizer,
            .reads = std::move(reads),
            .writes = std::move(writes)});
    }
    [[nodiscard]] Use from(BufferId buffer, const Matrices &m) const
    {
        return {.buffer = buffer, .offset = m.offset * sizeOf(m_builder.plan.at(buffer).type)};
    }
    KernelId kernel(OpKind kind, const Matrices &m, std::int64_t rows, std::int64_t columns, float scale = 0)
    {
        return m_builder.kernel({.kind = kind,
            .type = m_l.sizes.type,
            .m = rows,
            .n = columns,
            .batch = static_cast<std::int32_t>(m.count),
            .scale = scale});
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
    const Buffers &m_buffers;
    std::vector<Op> m_ops;
};

} // namespace

std::vector<Op> muonOps(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit)
{
    const std::vector<Matrices> all = matricesOf(builder.plan, model, unit);
    const Buffers buffers = declareBuffers(builder, all, layout.sizes.type);
    MuonOps ops(builder, layout, unit, buffers);
    for (const Matrices &matrices : all)
        ops.update(matrices);
    return ops.take();
}

} // namespace slipway::native
