// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/placement_flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plan/data_parallel.h"
#include "plan/walk.h"

namespace slipway {
namespace {

// Tied: first and last stage, which both have the embedding table. Keys: ranks with the same key-value heads.
enum class Axis : std::uint8_t { Tensor, Shards, Replicas, Keys, Tied };
constexpr std::size_t kAxes = 5;

struct State {
    std::array<Placement, kAxes> on{};
    Placement &operator[](Axis axis) { return on[static_cast<std::size_t>(axis)]; }
    Placement operator[](Axis axis) const { return on[static_cast<std::size_t>(axis)]; }
};
// The parts of an instance by their first byte: tensors of a flat buffer, or chunks.
using Parts = std::map<std::int64_t, State>;

std::optional<Axis> axisOf(std::string_view group)
{
    return group == "tp"                                    ? std::optional(Axis::Tensor)
           : group == "dp" || group == "edp"                ? std::optional(Axis::Shards)
           : group == "replicas" || group == "edp replicas" ? std::optional(Axis::Replicas)
           : group == "kv"                                  ? std::optional(Axis::Keys)
           : group == "embedding"                           ? std::optional(Axis::Tied)
                                                            : std::nullopt;
}

Placement ofWeight(WeightPlacement placement)
{
    return placement == WeightPlacement::Rows      ? Placement::Rows
           : placement == WeightPlacement::Columns ? Placement::Columns
                                                   : Placement::Whole;
}

// Ops that are linear in each operand that may be a partial sum.
bool isLinear(OpKind kind)
{
    using enum OpKind;
    constexpr std::array kLinear{
        Permute, PermuteBackward, Combine, RouteBackward, GateRows, Scale, Cast, Quantize, AllToAll};
    return std::ranges::find(kLinear, kind) != kLinear.end();
}

class Walk {
public:
    explicit Walk(const StepPlan &plan)
        : m_plan(plan),
          m_instances(plan),
          m_parts(static_cast<std::size_t>(m_instances.count()))
    {
        for (const ParameterUnit &unit : plan.units) {
            for (const std::optional<BufferId> id : {std::optional(unit.parameter), unit.gathered})
                placeWeights(unit, id);
            for (const std::optional<BufferId> id : {std::optional(unit.gradient), unit.fullGradient})
                if (id)
                    m_gradients[*id] = &unit;
            if (unit.bf16Gradient)
                m_narrow[*unit.bf16Gradient] = &unit;
        }
    }

    PlacementProof run()
    {
        forEachOp(m_plan, Repetitions::Once, [this](const Visit &visit) {
            m_visit = &visit;
            play(visit.op, m_plan.at(visit.op.kernel));
            for (const Use &use : visit.op.frees)
                free(use);
        });
        checkUpdated();
        return std::move(m_proof);
    }

private:
    [[nodiscard]] std::size_t partsAt(BufferId id, int instance) const
    {
        return static_cast<std::size_t>(m_instances.first(id)) + static_cast<std::size_t>(instance);
    }

    // The next step reads the weights as this one did.
    void checkUpdated()
    {
        for (const ParameterUnit &unit : m_plan.units) {
            for (int i = 0; !unit.gathered && i < m_instances.size(unit.parameter); ++i) {
                for (const auto &[at, state] : m_parts[partsAt(unit.parameter, i)])
                    if (state[Axis::Shards] == Placement::Rows)
                        m_proof.faults.push_back(unit.name + ": updated weights are not gathered");
            }
        }
    }

    void free(const Use &use)
    {
        Parts &parts = partsOf(use);
        if (!m_weights.contains(use.buffer))
            return parts.clear();
        for (auto &[at, state] : parts) // gathered again before the next use
            state[Axis::Shards] = Placement::Rows;
    }

    void placeWeights(const ParameterUnit &unit, std::optional<BufferId> id)
    {
        if (!id)
            return;
        m_weights[*id] = &unit;
        State state;
        state[Axis::Shards] = unit.gathered ? Placement::Rows : Placement::Whole;
        for (int i = 0; i < m_instances.size(*id); ++i)
            m_parts[partsAt(*id, i)][0] = state;
    }

    Parts &partsOf(const Use &use)
    {
        return m_parts[static_cast<std::size_t>(m_instances.of(use, m_visit->slot.index, m_visit->microBatch))];
    }
    [[nodiscard]] std::int64_t begin(const Use &use) const { return use.offset + use.stride * m_visit->slot.index; }

    const ParameterTensor *tensorAt(const ParameterUnit &unit, const Use &use) const
    {
        const std::int64_t offset = use.offset / sizeOf(m_plan.at(use.buffer).type);
        for (const ParameterTensor &tensor : m_plan.tensors) {
            if (tensor.parameter == unit.parameter && tensor.offset == offset)
                return &tensor;
        }
        return nullptr;
    }

    State read(const Use &use)
    {
        const Parts &parts = partsOf(use);
        const auto after = parts.upper_bound(begin(use));
        expect(after != parts.begin() || m_plan.at(use.buffer).scope == Scope::Run,
            fmt::format("reads {}, which no op has written", m_plan.at(use.buffer).name));
        State state = after == parts.begin() ? State{} : std::prev(after)->second;
        const auto weight = m_weights.find(use.buffer);
        if (weight == m_weights.end())
            return state;
        expect(state[Axis::Shards] != Placement::Rows, "reads weights that are not gathered");
        const ParameterTensor *const tensor = tensorAt(*weight->second, use);
        state[Axis::Tensor] = tensor ? ofWeight(tensor->placement) : Placement::Whole;
        return state;
    }
    void write(const Use &use, State state)
    {
        Parts &parts = partsOf(use);
        const std::int64_t at = begin(use);
        if (use.stride > 0) { // what follows the chunk stays as it is
            const auto after = parts.upper_bound(at + use.stride);
            if (after != parts.begin() && at + use.stride < m_plan.at(use.buffer).bytes)
                parts.emplace(at + use.stride, std::prev(after)->second);
        } else if (use.offset == 0) {
            parts.clear();
        }
        parts[at] = state;
    }

    void expect(bool holds, const std::string &what)
    {
        if (!holds)
            m_proof.faults.push_back(
                fmt::format("{}: {}: {}", m_plan.at(m_visit->slot.block).name, m_visit->op.name, what));
    }

    void play(const Op &op, const Kernel &kernel)
    {
        if (kernel.cost == CostClass::Communication)
            return playCommunication(op, kernel);
        if (op.phase == Phase::Optimizer)
            return playOptimizer(op, kernel);
        if (kernel.kind == OpKind::Zero) {
            if (op.writes.front().offset == 0) // else padding
                write(op.writes.front(), {});
            return;
        }
        if (op.stream == Stream::Reduce || isOfGradients(op))
            return playSum(op);
        playKernel(op, kernel);
    }

    // Casts and sums of whole gradients.
    [[nodiscard]] bool isOfGradients(const Op &op) const
    {
        return !op.reads.empty() &&
               (m_gradients.contains(op.reads.back().buffer) || m_narrow.contains(op.reads.back().buffer));
    }
    void playSum(const Op &op)
    {
        const Parts from = partsOf(op.reads.back());
        const bool adds = op.reads.size() > 1 || op.accumulate;
        Parts &to = partsOf(op.writes.front());
        for (const auto &[at, state] : from) {
            const auto known = to.find(at);
            expect(!adds || (known != to.end() && known->second.on == state.on),
                "adds to gradients that lie in another way");
        }
        if (m_narrow.contains(op.writes.front().buffer) || m_narrow.contains(op.reads.back().buffer) || adds)
            to = from;
    }

    static bool lies(Placement placement, OpKind collective)
    {
        return placement == Placement::Zeros ||
               (collective == OpKind::AllGather ? placement == Placement::Rows || placement == Placement::Columns
                                                : placement == Placement::Partial);
    }

    void playCommunication(const Op &op, const Kernel &kernel)
    {
        const std::string &group = m_plan.groups[static_cast<std::size_t>(kernel.group)].axis;
        if (kernel.kind == OpKind::Send)
            return;
        if (kernel.kind == OpKind::Receive) {
            State state;
            state[Axis::Tensor] = kernel.m == 1   ? Placement::Whole
                                  : group == "cp" ? Placement::Columns
                                                  : Placement::Rows; // the residual stream
            return write(op.writes.front(), state);
        }
        const std::optional<Axis> axis = axisOf(group);
        const bool ofUnit = m_weights.contains(op.writes.front().buffer) ||
                            m_gradients.contains(op.writes.front().buffer) ||
                            m_narrow.contains(op.writes.front().buffer);
        if (op.phase == Phase::Optimizer && !ofUnit)
            return; // Muon's updates and the norm
        if (!axis || kernel.kind == OpKind::AllToAll) {
            const Parts from = partsOf(op.reads.front());
            partsOf(op.writes.front()) = from;
            return;
        }
        convert(op, kernel.kind, *axis);
    }

    void convert(const Op &op, OpKind kind, Axis axis)
    {
        Parts parts = partsOf(op.reads.front());
        const auto changed = [&](State &state) {
            expect(lies(state[axis], kind), fmt::format("its input is {}", enumName(state[axis])));
            m_proof.collectives += state[axis] != Placement::Zeros;
            state[axis] = kind == OpKind::ReduceScatter ? Placement::Rows : Placement::Whole;
        };
        if (const std::int64_t at = op.reads.front().offset; at > 0) { // rows of one tensor
            const auto after = parts.upper_bound(at);
            if (after != parts.begin())
                changed(std::prev(after)->second);
        } else {
            for (auto &[begin, state] : parts)
                changed(state);
        }
        partsOf(op.writes.front()) = std::move(parts);
    }

    void playOptimizer(const Op &op, const Kernel &kernel)
    {
        for (const Use &use : op.reads) {
            if (!m_gradients.contains(use.buffer))
                continue;
            expect(!partsOf(use).empty(), "reads a gradient that no op has written");
            for (const auto &[at, state] : partsOf(use))
                expect(std::ranges::find(state.on, Placement::Partial) == state.on.end(), "reads a partial sum");
        }
        if (kernel.kind != OpKind::AdamW && kernel.kind != OpKind::MuonUpdate)
            return;
        for (const Use &use : op.writes) {
            const auto unit = m_weights.find(use.buffer);
            if (unit == m_weights.end())
                continue;
            const ParameterUnit &u = *unit->second;
            State state;
            state[Axis::Shards] = u.shardElements < u.padded ? Placement::Rows : Placement::Whole;
            partsOf(use) = {{0, state}};
        }
    }

    void playKernel(const Op &op, const Kernel &kernel)
    {
        std::vector<State> reads;
        for (const Use &use : op.reads)
            reads.push_back(read(use));
        const bool gemm = kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm;
        const std::vector<Placement> results = m_plan.mesh.tensor.size == 1 ? std::vector<Placement>{}
                                               : gemm                       ? ofGemm(op, kernel, reads)
                                                                            : ofKernel(op, kernel, reads);
        for (std::size_t i = 0; i < op.writes.size(); ++i) {
            const Use &use = op.writes[i];
            State state;
            if (i < results.size())
                state[Axis::Tensor] = results[i];
            if (const auto unit = m_gradients.find(use.buffer); unit != m_gradients.end())
                writeGradient(op, *unit->second, use, reads, state);
            else if (m_plan.at(use.buffer).scope != Scope::Run && (!gemm || i == 0))
                write(use, state);
        }
    }

    // Every rank has other tokens.
    void writeGradient(
        const Op &op, const ParameterUnit &unit, const Use &use, const std::vector<State> &reads, State state)
    {
        const ParameterTensor *const tensor = tensorAt(unit, use);
        if (!tensor)
            return expect(false, "writes a gradient of no weight");
        const Kernel &kernel = m_plan.at(op.kernel);
        if (m_plan.mesh.tensor.size > 1)
            state[Axis::Tensor] = ofGradient(kernel, *tensor, reads);
        const auto partialOver = [&](Axis axis, std::string_view group, std::string_view ofExperts) {
            for (const Group &g : m_plan.groups) {
                if (g.axis == (unit.experts && m_plan.mesh.expert.size > 1 ? ofExperts : group) && g.size > 1)
                    state[axis] = Placement::Partial;
            }
        };
        partialOver(Axis::Shards, "dp", "edp");
        partialOver(Axis::Replicas, "replicas", "edp replicas");
        if (tensor->replicatedRows > 0)
            partialOver(Axis::Keys, "kv", "kv");
        const auto first = std::ranges::find(m_plan.units, UnitSection::Embedding, &ParameterUnit::section);
        if (&*first == &unit)
            partialOver(Axis::Tied, "embedding", "embedding");
        Parts &parts = partsOf(use);
        if (const auto known = parts.find(use.offset); op.accumulate && known != parts.end()) {
            for (std::size_t i = 0; i < kAxes; ++i) {
                const Placement before = known->second.on[i];
                expect(
                    before == Placement::Zeros || before == state.on[i], "adds to a gradient that is already reduced");
            }
        }
        parts[use.offset] = state;
    }

    Placement ofGradient(const Kernel &kernel, const ParameterTensor &tensor, const std::vector<State> &reads)
    {
        using enum Placement;
        const bool gemm = kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm;
        const std::size_t first = kernel.kind == OpKind::EmbeddingBackward ? 1 : 0;
        const Placement a = reads[first][Axis::Tensor], b = gemm ? reads[1][Axis::Tensor] : Whole;
        if (tensor.placement == WeightPlacement::Columns)
            expect(a == Whole && b == Columns,
                fmt::format("a gradient by columns of {} and {}", enumName(a), enumName(b)));
        else if (tensor.placement == WeightPlacement::Rows)
            expect((a == Columns || (first == 1 && a == Whole)) && b == Whole,
                fmt::format("a gradient by rows of {} and {}", enumName(a), enumName(b)));
        else
            expect(!gemm || a == b || (a == Partial && b == Whole),
                fmt::format("a gradient of {} and {}", enumName(a), enumName(b)));
        return tensor.placement != WeightPlacement::Whole ? ofWeight(tensor.placement)
               : a == Whole || a == Zeros                 ? Whole
                                                          : Partial;
    }

    // The placement of C, from those of A and of the weight B.
    std::vector<Placement> ofGemm(const Op &op, const Kernel &kernel, const std::vector<State> &reads)
    {
        using enum Placement;
        if (kernel.form == GemmForm::WeightGradient)
            return {};
        const Placement a = reads[0][Axis::Tensor], weight = reads[1][Axis::Tensor];
        Placement c = a;
        if (weight == Rows || weight == Columns) {
            const bool splitsResult = (weight == Rows) == (kernel.form == GemmForm::Forward);
            expect(a == (splitsResult ? Whole : Columns),
                fmt::format("multiplies {} by a weight in {}", enumName(a), enumName(weight)));
            c = splitsResult ? Columns : Partial;
        } else {
            expect(a != Columns, "multiplies columns by a whole weight");
        }
        if (kernel.residual) {
            const Placement residual = read(op.reads[2])[Axis::Tensor];
            expect(residual == c || residual == Zeros,
                fmt::format("adds a residual that is {} to {}", enumName(residual), enumName(c)));
        }
        return {c};
    }

    std::vector<Placement> ofKernel(const Op &op, const Kernel &kernel, const std::vector<State> &reads)
    {
        using enum Placement;
        const auto of = [&](std::size_t i) { return reads[i][Axis::Tensor]; };
        switch (kernel.kind) {
        case OpKind::LoadBatch:
            return std::vector(op.writes.size(), Whole);
        case OpKind::Quantize: // a weight as well
            return {of(0)};
        case OpKind::Embedding:
            return {of(1) == Rows ? Partial : Whole};
        case OpKind::CrossEntropy:
            expect(reads.size() > 2 && of(2) == Whole, "lacks the statistics of all ranks");
            return {of(0)};
        case OpKind::QkNormSquares:
        case OpKind::QkNormDots:
            expect(of(0) == Columns, "sums over heads that are not sharded");
            return {Partial};
        case OpKind::CombineBackward:
            return {of(3), of(2)};
        case OpKind::GateRowsBackward:
            return {of(0), of(1)};
        default:
            return std::vector(op.writes.size(), joined(op, kernel, reads));
        }
    }

    Placement joined(const Op &op, const Kernel &kernel, const std::vector<State> &reads)
    {
        using enum Placement;
        Placement all = Zeros;
        bool hasWhole = false;
        for (std::size_t i = 0; i < reads.size(); ++i) {
            const Placement one = reads[i][Axis::Tensor];
            if (m_weights.contains(op.reads[i].buffer) || one == Zeros)
                continue;
            hasWhole |= one == Whole;
            if (all == Zeros || all == Whole)
                all = one;
            else
                expect(one == all || one == Whole, fmt::format("reads {} and {}", enumName(all), enumName(one)));
        }
        if (all == Partial)
            expect(isLinear(kernel.kind) || (kernel.kind == OpKind::Add && !hasWhole),
                "reads a partial sum, and is not linear");
        return all;
    }

    const StepPlan &m_plan;
    const Instances m_instances;
    std::vector<Parts> m_parts; // by instance
    std::map<BufferId, const ParameterUnit *> m_weights, m_gradients, m_narrow;
    const Visit *m_visit = nullptr;
    PlacementProof m_proof;
};

} // namespace

PlacementProof provePlacements(const StepPlan &plan) { return Walk(plan).run(); }

} // namespace slipway
