// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/step_runner.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "plan/walk.h"

namespace slipway {

namespace {

// The phase to which the time of an op is added.
Part partOf(const Op &op, CostClass cost)
{
    if (cost == CostClass::Communication)
        return &PhaseSeconds::communication;
    switch (op.phase) {
    case Phase::Forward:
        return &PhaseSeconds::forward;
    case Phase::Backward:
    case Phase::Recompute:
        return &PhaseSeconds::backward;
    case Phase::Optimizer:
        return &PhaseSeconds::optimizer;
    }
    return &PhaseSeconds::optimizer;
}

// The time that the compute stream waits for collectives is exposed communication.
template<typename Enter>
void follow(StepStreams &streams, const OrderedOp &place, const Enter &enter)
{
    streams.enter(place.stream);
    if (place.waitsFor < 0)
        return;
    if (place.stream == DeviceStream::Compute)
        enter(&PhaseSeconds::communication);
    streams.wait(place.waitsFor);
}

} // namespace

StepRunner::StepRunner(
    const StepPlan &plan, Backend &backend, Communicator &communicator, int shard, std::function<void()> beforeUpdate)
    : m_plan(plan),
      m_backend(backend),
      m_communicator(communicator),
      m_beforeUpdate(std::move(beforeUpdate)),
      m_batch(batchShape(plan)),
      m_live(plan, shard),
      m_order(orderOf(plan, shard))
{
}

void StepRunner::prepare(StepContext context, std::int64_t tokensPerStep)
{
    const std::vector<std::int32_t> ids(static_cast<std::size_t>(tokensPerStep));
    const StagedInput input = m_backend.stage({ids, ids}, {});
    std::set<std::pair<KernelId, bool>> met;
    begin();
    forEachOp(m_plan, Repetitions::All, [&](const Visit &visit) {
        const Kernel &kernel = m_plan.at(visit.op.kernel);
        allocate(visit);
        const bool isNew = met.emplace(visit.op.kernel, visit.op.accumulate).second;
        // Later ops use the ids and the assignments as indices, so every micro-batch must be loaded and every layer's
        // tokens routed. No rows have arrived from other ranks that could be counted.
        const bool isIndex = kernel.kind == OpKind::LoadBatch || kernel.kind == OpKind::Route;
        if (kernel.cost != CostClass::Communication && kernel.kind != OpKind::ReceivedRows && (isNew || isIndex)) {
            m_communicator.reportLoading("preparing its kernels");
            m_backend.prepare(callOf(visit, context, input), context);
        }
        for (const Use &use : visit.op.frees)
            m_live.free(use, visit.slot.index, visit.microBatch);
    });
    m_backend.clear();
}

void StepRunner::runStep(StepContext &context, const StagedInput &input)
{
    StepStreams *const streams = m_observer ? nullptr : m_backend.streams();
    begin();
    m_allocatedPeak = 0;
    static_cast<void>(m_backend.backendMemory()); // the peak of this step begins here
    if (streams)
        streams->begin(m_order.size());
    Part part = nullptr;
    const auto enter = [&](Part now) {
        if (now != part)
            m_backend.enter(part = now);
    };
    std::size_t number = 0;
    forEachOp(m_plan, Repetitions::All, [&](const Visit &visit) {
        const OrderedOp &place = m_order[number];
        if (streams)
            follow(*streams, place, enter);
        if (!streams || place.stream == DeviceStream::Compute)
            enter(partOf(visit.op, m_plan.at(visit.op.kernel).cost));
        allocate(visit);
        execute(visit, context, input);
        countMemory();
        if (streams && place.signals)
            streams->signal(static_cast<int>(number));
        for (const Use &use : visit.op.frees)
            m_live.free(use, visit.slot.index, visit.microBatch);
        ++number;
    });
    if (streams) {
        streams->enter(DeviceStream::Compute);
        enter(&PhaseSeconds::communication);
        streams->join();
    }
    if (!m_backend.endWalk()) {
        m_backend.beginStep();
        return runStep(context, input);
    }
    m_loss = addressOf("loss");
    m_gradientNorm2 = addressOf("gradient_norm2");
}

void StepRunner::runForward(StepContext &context, const StagedInput &input)
{
    begin();
    forEachOp(m_plan, Repetitions::All, [&](const Visit &visit) {
        if (visit.op.phase == Phase::Forward) {
            allocate(visit);
            execute(visit, context, input);
        }
        for (const Use &use : visit.op.frees) {
            if (m_plan.at(use.buffer).scope != Scope::Run && m_live.alive(use, visit.slot.index, visit.microBatch))
                m_live.free(use, visit.slot.index, visit.microBatch);
        }
    });
}

void StepRunner::begin()
{
    m_live.freeTransient();
    m_live.arena().resetPeak();
}

void StepRunner::allocate(const Visit &visit)
{
    for (const Use &use : visit.op.allocations)
        m_live.allocate(use, visit.slot.index, visit.microBatch);
}

void StepRunner::execute(const Visit &visit, StepContext &context, const StagedInput &input)
{
    const OpCall call = callOf(visit, context, input);
    if (call.kernel.kind == OpKind::AdamW || call.kernel.kind == OpKind::MuonMomentum)
        m_beforeUpdate();
    notifyObserver(visit, true);
    m_communicator.reportProgress("running a step");
    m_backend.run(call, context);
    notifyObserver(visit, false);
}

// The op with the addresses of its operands; also sets the part of the input that it reads in `context`.
OpCall StepRunner::callOf(const Visit &visit, StepContext &context, const StagedInput &input) const
{
    const Kernel &kernel = m_plan.at(visit.op.kernel);
    const auto tokens = static_cast<std::size_t>(m_batch.tokens()),
               at = static_cast<std::size_t>(visit.microBatch) * tokens;
    OpCall call{.kernel = kernel, .accumulate = visit.op.accumulate, .readCount = visit.op.reads.size()};
    const auto operand = [&](const Use &use) { return address(use, visit.slot.index, visit.microBatch); };
    std::transform(visit.op.reads.begin(), visit.op.reads.end(), call.reads.begin(), operand);
    std::transform(visit.op.writes.begin(), visit.op.writes.end(), call.writes.begin(), operand);
    if (kernel.kind == OpKind::LoadBatch) {
        context.tokens = input.ids.tokens.subspan(at, tokens);
        context.targets = input.ids.targets.subspan(at, tokens);
    }
    if (kernel.seq > 0 && !input.ids.documentStarts.empty())
        context.documentStarts = input.ids.documentStarts.subspan(at, tokens);
    // The update follows the last micro-batch and reads no documents.
    if (visit.microBatch < std::ssize(input.documents))
        context.documents = input.documents[static_cast<std::size_t>(visit.microBatch)];
    return call;
}

// Called while the operands of the latest op are allocated.
void StepRunner::countMemory()
{
    const BackendMemory extra = m_backend.backendMemory();
    m_allocatedPeak = std::max(m_allocatedPeak, m_live.arena().allocated() + extra.allocatedPeak);
    m_reservedPeak = std::max(m_reservedPeak, m_live.arena().reserved() + extra.reserved);
}

void StepRunner::notifyObserver(const Visit &visit, bool before) const
{
    if (m_observer)
        m_observer({visit.op, visit.slot, visit.microBatch, before, m_live.aliveBytes()});
}

std::byte *StepRunner::addressOf(std::string_view name) const
{
    const auto buffer =
        std::find_if(m_plan.buffers.begin(), m_plan.buffers.end(), [&](const Buffer &b) { return b.name == name; });
    const Use use{.buffer = static_cast<BufferId>(buffer - m_plan.buffers.begin())};
    return address(use, 0, 0);
}

} // namespace slipway
