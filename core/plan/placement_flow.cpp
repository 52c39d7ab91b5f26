// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/placement_flow.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plan/data_parallel.h"
#include "plan/placement_rules.h"
#include "plan/walk.h"

namespace slipway {
namespace {

using Axis = PlacementAxis;
using State = PlacementState;
// The parts of an instance by their first byte: tensors of a flat buffer, or chunks.
using Parts = std::map<std::int64_t, State>;

std::optional<Axis> axisOf(std::string_view group)
{
    return group == "tp"                                    ? std::optional(Axis::Tensor)
           : group == "dp" || group == "edp"                ? std::optional(Axis::Shards)
           : group == "replicas" || group == "edp replicas" ? std::optional(Axis::Replicas)
           : group == "kv"                                  ? std::optional(Axis::Keys)
           : group == "embedding"                           ? std::optional(Axis::Tied)
           : group == "cp"                                  ? std::optional(Axis::Context)
           : group == "ep"                                  ? std::optional(Axis::Experts)
           : group == "pp"                                  ? std::optional(Axis::Stages)
                                                            : std::nullopt;
}

Placement ofWeight(WeightPlacement placement)
{
    return placement == WeightPlacement::Rows      ? Placement::Rows
           : placement == WeightPlacement::Columns ? Placement::Columns
                                                   : Placement::Whole;
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
        placeSums();
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

    // The axes over which the loss and the gradient norm are summed.
    void placeSums()
    {
        for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
            if (m_plan.buffers[i].name == "loss")
                m_loss = static_cast<BufferId>(i);
            if (m_plan.buffers[i].name == "gradient_norm2")
                m_norm = static_cast<BufferId>(i);
        }
        const bool sharded = std::ranges::any_of(
            m_plan.units, [](const ParameterUnit &u) { return !u.experts && u.shardElements < u.padded; });
        for (const Group &group : m_plan.groups) {
            const std::optional<Axis> axis = group.size > 1 ? axisOf(group.axis) : std::nullopt;
            if (axis == Axis::Shards || axis == Axis::Replicas || axis == Axis::Stages)
                m_ofLoss[*axis] = Placement::Partial;
            if (axis == (sharded ? Axis::Shards : Axis::Experts) || axis == Axis::Tensor || axis == Axis::Stages)
                m_ofNorm[*axis] = Placement::Partial;
        }
    }

    static bool isPartial(const State &state)
    {
        return std::ranges::find(state.on, Placement::Partial) != state.on.end();
    }
    [[nodiscard]] bool isPartial(BufferId sum) const
    {
        const Parts &parts = m_parts[partsAt(sum, 0)];
        return std::ranges::any_of(parts, [](const auto &part) { return isPartial(part.second); });
    }

    // The next step reads the weights as this one did.
    void checkUpdated()
    {
        if (m_loss && isPartial(*m_loss))
            m_proof.faults.emplace_back("loss: is not summed over all ranks");
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
        if (kernel.kind == OpKind::Zero) {
            if (op.writes.front().offset == 0) // else padding
                write(op.writes.front(), ofSum(op.writes.front()).value_or(State{}));
            return;
        }
        if (op.phase == Phase::Optimizer)
            return playOptimizer(op, kernel);
        if (op.stream == Stream::Reduce || isOfGradients(op))
            return playSum(op);
        playKernel(op, kernel);
    }

    // The state of the loss or the gradient norm of one rank; empty: it is neither.
    [[nodiscard]] std::optional<State> ofSum(const Use &use) const
    {
        return use.buffer == m_loss   ? std::optional(m_ofLoss)
               : use.buffer == m_norm ? std::optional(m_ofNorm)
                                      : std::nullopt;
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
        if (isPointToPoint(kernel.kind))
            return playMessage(op, kernel);
        const std::optional<Axis> axis = axisOf(m_plan.groups[static_cast<std::size_t>(kernel.group)].axis);
        if (axis && kernel.kind != OpKind::AllToAll)
            return convert(op, kernel.kind, *axis);
        Parts parts = partsOf(op.reads.front());
        if (kernel.kind == OpKind::AllToAll) { // rows go to the ranks of their experts, or return
            for (auto &[at, state] : parts) {
                Placement &rows = state[Axis::Experts];
                rows = rows == Placement::Rows ? Placement::Columns : Placement::Rows;
                ++m_proof.collectives;
            }
        }
        partsOf(op.writes.front()) = std::move(parts);
    }

    // All ranks of a ring do the same, so a message that arrives lies as the one that was sent. Between stages, the
    // residual stream is sent, and counts of experts: sums so far in the forward pass, and their totals in the backward
    // pass.
    void playMessage(const Op &op, const Kernel &kernel)
    {
        const bool ring = axisOf(m_plan.groups[static_cast<std::size_t>(kernel.group)].axis) == Axis::Context;
        if (kernel.kind == OpKind::Send) {
            if (ring)
                m_sent.push_back(read(op.reads.front()));
            return;
        }
        if (ring) {
            expect(!m_sent.empty(), "receives a message that no rank has sent");
            const State arrived = m_sent.empty() ? State{} : m_sent.front();
            if (!m_sent.empty())
                m_sent.pop_front();
            return write(op.writes.front(), arrived);
        }
        const bool counts = kernel.m == 1;
        State state;
        state[Axis::Tensor] = counts ? Placement::Whole : Placement::Rows;
        state[Axis::Experts] = counts ? Placement::Whole : Placement::Rows;
        state[Axis::Context] = !counts                      ? Placement::Rows
                               : op.phase == Phase::Forward ? Placement::Partial
                                                            : Placement::Whole;
        write(op.writes.front(), state);
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
            if (use.buffer == m_norm)
                expect(!isPartial(use.buffer), "reads a norm that is not summed over all ranks");
            if (!m_gradients.contains(use.buffer))
                continue;
            expect(!partsOf(use).empty(), "reads a gradient that no op has written");
            for (const auto &[at, state] : partsOf(use))
                expect(!isPartial(state), "reads a partial sum");
        }
        switch (kernel.kind) {
        case OpKind::SumSquares:
            return playNorm(op, kernel);
        case OpKind::MuonMomentum:
            return playMomentum(op);
        case OpKind::MuonNormalize: {
            const State update = read(op.reads.front());
            for (const Axis axis : {Axis::Shards, Axis::Tensor})
                expect(update[axis] == Placement::Whole, fmt::format("its matrix is {}", enumName(update[axis])));
            return;
        }
        case OpKind::AdamW:
        case OpKind::MuonUpdate:
            return playUpdate(op);
        default:
            return;
        }
    }

    void playUpdate(const Op &op)
    {
        for (const Use &use : op.writes) {
            if (const auto unit = m_weights.find(use.buffer); unit != m_weights.end()) {
                State state;
                state[Axis::Shards] = ofShards(*unit->second);
                partsOf(use) = {{0, state}};
            }
        }
    }
    static Placement ofShards(const ParameterUnit &unit)
    {
        return unit.shardElements < unit.padded ? Placement::Rows : Placement::Whole;
    }

    // The norm counts each value once: what several ranks of a sum hold is divided by their number.
    void playNorm(const Op &op, const Kernel &kernel)
    {
        const ParameterUnit &unit = *m_gradients.at(op.reads.front().buffer);
        double copies = 1;
        for (const auto &[axis, ranks] : {std::pair(Axis::Tensor, m_plan.mesh.tensor.size),
                 std::pair(Axis::Shards, m_plan.mesh.shards.size), std::pair(Axis::Experts, m_plan.mesh.expert.size)}) {
            if (m_ofNorm[axis] != Placement::Partial || (unit.experts && axis != Axis::Tensor))
                continue;
            std::size_t whole = 0;
            const Parts &parts = partsOf(op.reads.front());
            for (const auto &[at, state] : parts)
                whole += state[axis] == Placement::Whole || state[axis] == Placement::Zeros;
            expect(whole == 0 || whole == parts.size(), "sums whole and sharded gradients");
            copies *= whole > 0 ? ranks : 1;
        }
        const double counted = kernel.scale == 0 ? 1 : 1 / static_cast<double>(kernel.scale);
        expect(std::abs(counted - copies) < 1e-3,
            fmt::format("counts what {} ranks hold as if {} held it", copies, counted));
        write(op.writes.front(), m_ofNorm);
    }

    // Muon needs whole matrices: the update that follows from a rank's own part is gathered.
    void playMomentum(const Op &op)
    {
        const auto unit = m_gradients.find(op.reads.front().buffer);
        State state;
        state[Axis::Shards] = ofShards(*unit->second);
        state[Axis::Tensor] = m_plan.mesh.tensor.size > 1 && !unit->second->whole ? Placement::Rows : Placement::Whole;
        partsOf(op.writes.back()) = {{0, state}};
    }

    void playKernel(const Op &op, const Kernel &kernel)
    {
        const std::function<void(bool, const std::string &)> expectThat = [this](bool holds, const std::string &what) {
            expect(holds, what);
        };
        PlacedKernel placed{.op = op, .kernel = kernel, .reads = {}, .weights = {}, .expect = expectThat};
        for (const Use &use : op.reads) {
            placed.reads.push_back(read(use));
            placed.weights.push_back(m_weights.contains(use.buffer));
        }
        const std::vector<State> results = resultsOf(placed, m_plan.mesh);
        for (std::size_t i = 0; i < op.writes.size(); ++i) {
            const Use &use = op.writes[i];
            if (const auto unit = m_gradients.find(use.buffer); unit != m_gradients.end())
                writeGradient(op, *unit->second, use, placed.reads);
            else if (const std::optional<State> sum = ofSum(use))
                write(use, *sum);
            else if (m_plan.at(use.buffer).scope != Scope::Run && (!multiplies(kernel.kind) || i == 0))
                write(use, results[i]);
        }
    }

    // Every rank has other tokens.
    void writeGradient(const Op &op, const ParameterUnit &unit, const Use &use, const std::vector<State> &reads)
    {
        State state;
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
            for (std::size_t i = 0; i < kPlacementAxes; ++i) {
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
        const bool gemm = multiplies(kernel.kind);
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

    const StepPlan &m_plan;
    const Instances m_instances;
    std::vector<Parts> m_parts; // by instance
    std::map<BufferId, const ParameterUnit *> m_weights, m_gradients, m_narrow;
    std::optional<BufferId> m_loss, m_norm;
    State m_ofLoss, m_ofNorm; // of one rank
    std::deque<State> m_sent; // in a ring, and not yet received
    const Visit *m_visit = nullptr;
    PlacementProof m_proof;
};

} // namespace

PlacementProof provePlacements(const StepPlan &plan) { return Walk(plan).run(); }

} // namespace slipway
