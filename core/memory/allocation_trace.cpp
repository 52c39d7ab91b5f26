// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/allocation_trace.h"

#include <optional>

#include "plan/walk.h"

namespace slipway {

namespace {

// The sizes of the tensors of a unit's buffer, if the plan lists them. Otherwise empty.
std::vector<Bytes> tensorsOf(const StepPlan &plan, const ParameterUnit &unit, BufferId buffer)
{
    std::vector<Bytes> tensors;
    for (const ParameterTensor &tensor : plan.tensors) {
        if (tensor.parameter == unit.parameter)
            tensors.push_back(plan.at(buffer).bytes * tensor.rows * tensor.columns / unit.elements);
    }
    return tensors;
}

class Tracer {
public:
    Tracer(const StepPlan &plan, ReplayDetail detail) : m_plan(plan), m_instances(plan), m_detail(detail)
    {
        splitBuffers();
        m_firstTensor.reserve(static_cast<std::size_t>(m_instances.count()));
        m_states.assign(static_cast<std::size_t>(m_instances.count()), false);
        for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
            for (int i = m_instances.size(static_cast<BufferId>(b)); i > 0; --i) {
                m_firstTensor.push_back(static_cast<std::int32_t>(m_trace.tensors));
                m_trace.tensors += m_pieces[b].count;
            }
        }
    }

    AllocationTrace run()
    {
        loadWeights();
        forEachOp(m_plan, Repetitions::Once, [&](const Visit &visit) { play(visit); });
        m_trace.optimizerStates = m_live[static_cast<std::size_t>(Role::OptimizerState)];
        return std::move(m_trace);
    }

private:
    // The allocations of one instance of a buffer.
    struct Pieces {
        std::size_t first = 0, count = 1; // in m_bytes
    };

    void splitBuffers()
    {
        for (const Buffer &buffer : m_plan.buffers) {
            m_pieces.push_back({.first = m_bytes.size()});
            m_bytes.push_back(buffer.bytes);
        }
        for (const ParameterUnit &unit : m_plan.units) {
            for (const std::optional<BufferId> &id :
                std::array<std::optional<BufferId>, 8>{unit.parameter, unit.gradient, unit.master, unit.momentum,
                    unit.variance, unit.gathered, unit.fullGradient, unit.bf16Gradient}) {
                if (!id || m_pieces[index(*id)].count > 1)
                    continue;
                const std::vector<Bytes> tensors = tensorsOf(m_plan, unit, *id);
                if (tensors.empty())
                    continue;
                m_pieces[index(*id)] = {.first = m_bytes.size(), .count = tensors.size()};
                m_bytes.insert(m_bytes.end(), tensors.begin(), tensors.end());
            }
        }
        m_requests.resize(m_bytes.size());
        for (auto &ofPiece : m_requests)
            ofPiece.fill(-1);
    }

    void loadWeights()
    {
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            const Buffer &buffer = m_plan.buffers[b];
            if (buffer.scope != Scope::Run || buffer.role == Role::OptimizerState)
                continue;
            const auto id = static_cast<BufferId>(b);
            for (int i = 0; i < (buffer.perLayer ? m_plan.layers : 1); ++i)
                enter(m_trace.weights, id, m_instances.first(id) + i, Stream::Compute);
        }
    }

    void play(const Visit &visit)
    {
        const auto instance = [&](const Use &use) { return m_instances.of(use, visit.slot.index, visit.microBatch); };
        for (const Use &use : visit.op.allocations)
            enter(m_trace.step, use.buffer, instance(use), visit.op.stream);
        if (visit.op.phase == Phase::Optimizer)
            enterStates(visit);
        if (m_detail == ReplayDetail::Points) {
            const int op = static_cast<int>(&visit.op - m_plan.at(visit.slot.block).ops.data());
            m_trace.instants.push_back(
                {m_trace.step.size(), {.block = visit.slot.block, .op = op, .index = visit.slot.index}, m_live});
        }
        for (const Use &use : visit.op.frees)
            leave(use.buffer, instance(use));
    }

    void enterStates(const Visit &visit)
    {
        for (const Use &use : visit.op.writes) {
            if (m_plan.at(use.buffer).role != Role::OptimizerState)
                continue;
            const int instance = m_instances.of(use, visit.slot.index, visit.microBatch);
            if (!m_states[static_cast<std::size_t>(instance)])
                enter(m_trace.step, use.buffer, instance, visit.op.stream);
            m_states[static_cast<std::size_t>(instance)] = true;
        }
    }

    void enter(std::vector<AllocationTrace::Event> &events, BufferId id, int instance, Stream stream)
    {
        const Pieces &pieces = m_pieces[index(id)];
        std::int32_t tensor = m_firstTensor[static_cast<std::size_t>(instance)];
        for (std::size_t piece = pieces.first; piece < pieces.first + pieces.count; ++piece)
            events.push_back({.tensor = tensor++, .request = requestOf(piece, stream)});
        liveOf(id) += m_plan.at(id).bytes;
    }

    void leave(BufferId id, int instance)
    {
        std::int32_t tensor = m_firstTensor[static_cast<std::size_t>(instance)];
        for (std::size_t i = 0; i < m_pieces[index(id)].count; ++i)
            m_trace.step.push_back({.tensor = tensor++});
        liveOf(id) -= m_plan.at(id).bytes;
    }

    std::int32_t requestOf(std::size_t piece, Stream stream)
    {
        std::int32_t &request = m_requests[piece][static_cast<std::size_t>(stream)];
        if (request < 0) {
            request = static_cast<std::int32_t>(m_trace.requests.size());
            m_trace.requests.push_back({m_bytes[piece], stream});
        }
        return request;
    }

    Bytes &liveOf(BufferId id) { return m_live[static_cast<std::size_t>(m_plan.at(id).role)]; }

    const StepPlan &m_plan;
    Instances m_instances;
    ReplayDetail m_detail;
    std::vector<Pieces> m_pieces; // by buffer
    std::vector<Bytes> m_bytes;   // by piece
    std::vector<std::array<std::int32_t, EnumNames<Stream>::names.size()>>
        m_requests;                          // by piece; -1: not requested yet
    std::vector<std::int32_t> m_firstTensor; // by instance
    std::vector<char> m_states;              // by instance: an allocated optimizer state
    BytesByRole m_live{};
    AllocationTrace m_trace;
};

} // namespace

AllocationTrace allocationTrace(const StepPlan &plan, ReplayDetail detail) { return Tracer(plan, detail).run(); }

} // namespace slipway
