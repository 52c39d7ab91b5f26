// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/simulate_step.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "plan/gather_limit.h"
#include "plan/walk.h"
#include "speed/collective_time.h"
#include "speed/kernel_time.h"

namespace slipway {

namespace {

std::vector<Seconds> kernelTimes(const StepPlan &plan, const DeviceRates &rates)
{
    std::vector<Seconds> times;
    times.reserve(plan.kernels.size());
    for (const Kernel &kernel : plan.kernels) {
        const bool communicates = kernel.cost == CostClass::Communication && kernel.group != GroupId::None;
        times.push_back(!communicates
                            ? kernelTime(kernel, rates) * rates.slowestRankFactor
                            : collectiveOf(kernel, plan.groups[static_cast<std::size_t>(kernel.group)], rates).seconds);
    }
    return times;
}

void addScaled(StepTimes &sum, const StepTimes &part, double factor)
{
    const auto addArrays = [factor](auto &to, const auto &from) {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] += factor * from[i];
    };
    sum.step += factor * part.step;
    addArrays(sum.byClass, part.byClass);
    addArrays(sum.byPhase, part.byPhase);
    sum.exposedByGroup.resize(part.exposedByGroup.size());
    addArrays(sum.exposedByGroup, part.exposedByGroup);
    sum.communicationExposed += factor * part.communicationExposed;
    sum.recompute += factor * part.recompute;
    sum.host += factor * part.host;
}

class Player {
public:
    Player(const StepPlan &plan, const DeviceRates &rates, const std::vector<Seconds> &kernelTimes,
        const SimulationObserver &observer)
        : m_plan(plan),
          m_rates(rates),
          m_observer(observer),
          m_instances(plan),
          m_kernelTimes(kernelTimes),
          m_gatherLimit(plan, 0),
          m_lastUse(static_cast<std::size_t>(m_instances.count()))
    {
    }

    StepTimes run()
    {
        StepTimes total;
        int microBatch = 0;
        for (const Segment &segment : m_plan.schedule) {
            if (segment.repeat <= 0)
                continue;
            m_repetitions = 1;
            addScaled(total, play(segment, microBatch), 1);
            m_repetitions = segment.repeat - 1;
            if (segment.repeat > 1)
                addScaled(total, play(segment, microBatch + segment.microBatches), segment.repeat - 1);
            microBatch += segment.repeat * segment.microBatches;
        }
        addScaled(total, waitForTheEnd(), 1);
        total.launchBound = total.host > 0.95 * total.step;
        return total;
    }

private:
    // Streams of one lane share an entry of m_lanes: that of the first one.
    using Lane = Stream;

    // The interval of a collective on its lane.
    struct Busy {
        Seconds start = 0, end = 0;
        double contention = 0;
    };
    struct BusyLane {
        std::vector<Busy> times;
        std::size_t next = 0; // the first one that a later kernel can overlap with
    };

    // When an instance was last written and last read, whether a copy from or to the host did it, and the group of the
    // collective that did it.
    struct LastUse {
        Seconds written = 0, read = 0;
        bool writtenByCopy = false, readByCopy = false;
        GroupId writtenByGroup = GroupId::None, readByGroup = GroupId::None;
    };

    void clearTimes()
    {
        m_times = {};
        m_times.exposedByGroup.resize(m_plan.groups.size());
    }

    // The step ends with its last collective. ZeRO-1's gathers of updated weights run beyond the last kernel.
    StepTimes waitForTheEnd()
    {
        clearTimes();
        hostAwaits(lastLane());
        return m_times;
    }

    StepTimes play(const Segment &segment, int firstMicroBatch)
    {
        clearTimes();
        const Seconds begin = now();
        for (const Slot &slot : segment.slots) {
            const std::vector<Op> &ops = m_plan.at(slot.block).ops;
            if (!ops.empty())
                m_gatherLimit.beginBlock(endOf(Lane::Compute));
            for (const Op &op : ops)
                play(op, slot, firstMicroBatch + slot.microBatch);
        }
        m_times.step = now() - begin;
        return m_times;
    }

    void play(const Op &op, const Slot &slot, int microBatch)
    {
        const auto last = [&](const Use &use) -> LastUse & {
            return m_lastUse[static_cast<std::size_t>(m_instances.of(use, slot.index, microBatch))];
        };
        const Kernel &kernel = m_plan.at(op.kernel);
        if (m_rates.waitsBetweenPasses && passOf(op.phase) != m_pass) {
            hostAwaits(lastLane());
            m_pass = passOf(op.phase);
        }
        if (kernel.kind != OpKind::View) {
            const bool ofUnit =
                op.stream == Stream::Gather || (op.stream == Stream::Reduce && kernel.kind == OpKind::ReduceScatter);
            const Seconds launches = kernel.calls * launchOf(op.phase) + (ofUnit ? m_rates.shardCollectiveLaunch : 0);
            m_host += launches;
            m_times.host += launches;
        }

        const Lane lane = laneOf(op, kernel);
        Seconds &laneEnd = endOf(lane);
        const Seconds couldStart = std::max(m_host, laneEnd);
        Seconds start = couldStart;
        bool awaitsCopy = false;
        GroupId awaited = GroupId::None;
        const auto await = [&](Seconds at, bool byCopy, GroupId by) {
            if (at > start) {
                start = at;
                awaitsCopy = byCopy;
                awaited = by;
            }
        };
        if (op.stream == Stream::Gather)
            await(m_gatherLimit.earliest(), false, GroupId::None);
        for (const Use &use : op.reads)
            await(last(use).written, last(use).writtenByCopy, last(use).writtenByGroup);
        for (const Use &use : op.writes) {
            await(last(use).written, last(use).writtenByCopy, last(use).writtenByGroup);
            await(last(use).read, last(use).readByCopy, last(use).readByGroup);
        }

        const bool communicates = kernel.cost == CostClass::Communication;
        Seconds *const communicator = communicates ? communicatorOf(kernel) : nullptr;
        if (communicator)
            await(*communicator, false, kernel.group);
        const Seconds alone = m_kernelTimes[index(op.kernel)];
        if (const std::optional<Seconds> sent = sentInRing(kernel, start)) {
            // On a CPU, a message arrives even while its buffer is still in use. NCCL waits for the buffer.
            const bool buffers = m_rates.multiprocessors == 0;
            start = std::max(buffers ? start - alone : start, *sent);
        }
        const Seconds end = lane == Lane::Compute && !communicates ? contended(start, alone) : start + alone;
        const Seconds seconds = end - start;
        if (communicator)
            *communicator = end;
        if (communicates && lane != Lane::Compute && kernel.group != GroupId::None)
            contend(
                lane, {start, end, linkOf(m_plan.groups[static_cast<std::size_t>(kernel.group)], m_rates).contention});
        const bool copies = op.stream == Stream::Copy;
        for (const Use &use : op.reads) {
            LastUse &read = last(use);
            // The trainer copies a message as soon as it is ready, so the next value need not wait for the link.
            const Seconds readUntil = kernel.kind == OpKind::Send ? std::max(m_host, read.written) : end;
            if (readUntil > read.read)
                read.read = readUntil, read.readByCopy = copies, read.readByGroup = kernel.group;
        }
        for (const Use &use : op.writes) {
            LastUse &written = last(use);
            written.written = end;
            written.writtenByCopy = copies;
            written.writtenByGroup = kernel.group;
        }

        m_times.byClass[static_cast<std::size_t>(kernel.cost)] += seconds;
        if (op.phase == Phase::Recompute)
            m_times.recompute += seconds;
        if (lane == Lane::Compute) {
            const Seconds waited = awaitsCopy ? 0 : start - couldStart, itself = communicates ? seconds : 0;
            m_times.communicationExposed += waited + itself;
            expose(awaited, waited);
            expose(kernel.group, itself);
            m_times.byPhase[static_cast<std::size_t>(op.phase)] += end - laneEnd;
        }
        laneEnd = end;
        m_lastGroups[static_cast<std::size_t>(lane)] = kernel.group;
        if (kernel.synchronizesHost)
            hostAwaits(lane);
        if (m_observer)
            m_observer({.slot = slot,
                .op = op,
                .microBatch = microBatch,
                .repetitions = m_repetitions,
                .start = start,
                .end = end});
    }

    // The trainer reads the same from the plan (exec/step_order.h): a message between stages waits for the reductions
    // before it. A CPU has one lane: collectives, messages and what belongs to them run between the kernels. Only the
    // messages of a ring are sent aside.
    [[nodiscard]] Lane laneOf(const Op &op, const Kernel &kernel) const
    {
        const bool ofRing = isPointToPoint(kernel.kind) && op.stream != Stream::Communication;
        if (!m_plan.oneCommunicationLane || !isCommunication(op.stream) || ofRing)
            return op.stream;
        return m_rates.oneLane ? Lane::Compute : Lane::Gather;
    }
    [[nodiscard]] Seconds &endOf(Lane lane) { return m_lanes[static_cast<std::size_t>(lane)]; }
    [[nodiscard]] Lane lastLane() const
    {
        return static_cast<Lane>(std::max_element(m_lanes.begin(), m_lanes.end()) - m_lanes.begin());
    }

    // NCCL runs the collectives of one communicator in the order of their launch, whatever streams they were launched
    // on. FSDP's all-gathers and reduce-scatters share a communicator (PyTorch 2.11, _fsdp_param_group.py), so they do
    // not overlap. Messages between two ranks run in both directions at once.
    Seconds *communicatorOf(const Kernel &kernel)
    {
        const bool alone = kernel.group == GroupId::None || isPointToPoint(kernel.kind);
        return alone ? nullptr : &m_communicators[static_cast<std::size_t>(kernel.group)];
    }

    // In a ring of context-parallel ranks, all ranks do the same at the same time. So a message arrives from the rank
    // before when this rank sends its own. Returns the start of a Receive's message.
    std::optional<Seconds> sentInRing(const Kernel &kernel, Seconds start)
    {
        const bool sends = kernel.kind == OpKind::Send, receives = kernel.kind == OpKind::Receive;
        if (!(sends || receives) || m_plan.groups[static_cast<std::size_t>(kernel.group)].axis != "cp")
            return {};
        std::deque<Seconds> &sent = m_sent[kernel.group];
        if (sends)
            sent.push_back(start);
        if (sends || sent.empty())
            return {};
        const Seconds message = sent.front();
        sent.pop_front();
        return message;
    }

    void expose(GroupId group, Seconds seconds)
    {
        if (group != GroupId::None)
            m_times.exposedByGroup[static_cast<std::size_t>(group)] += seconds;
    }

    // The host launches nothing before the stream is done. If the compute stream is idle because of another stream, the
    // time is exposed.
    void hostAwaits(Lane lane)
    {
        const Seconds end = endOf(lane), busy = std::max(m_host, endOf(Lane::Compute));
        if (lane != Lane::Copy && end > busy) {
            m_times.communicationExposed += end - busy;
            expose(m_lastGroups[static_cast<std::size_t>(lane)], end - busy);
        }
        m_host = std::max(m_host, end);
    }

    // A collective may start while kernels run that have already been placed. The next kernel then takes over the time
    // that they lost.
    void contend(Lane lane, Busy busy)
    {
        const Seconds placed = endOf(Lane::Compute);
        const Seconds beside = std::min(busy.end, placed) - busy.start;
        if (beside > 0) {
            m_owed += beside * busy.contention / (1 + busy.contention);
            busy.start = std::min(busy.end, placed);
        }
        if (busy.end > busy.start) {
            m_busy[static_cast<std::size_t>(lane)].times.push_back(busy);
            m_busyUntil = std::max(m_busyUntil, busy.end);
        }
    }

    // The end of a kernel on the compute stream. `alone` is its time without contention. Starts never decrease.
    Seconds contended(Seconds start, Seconds alone)
    {
        if (start >= m_busyUntil && m_owed == 0)
            return start + alone;
        for (Seconds left = alone + std::exchange(m_owed, 0);;) {
            double contention = 0;
            Seconds until = std::numeric_limits<Seconds>::infinity();
            for (BusyLane &lane : m_busy) {
                while (lane.next < lane.times.size() && lane.times[lane.next].end <= start)
                    ++lane.next;
                if (lane.next == lane.times.size())
                    continue;
                const Busy &busy = lane.times[lane.next];
                const bool active = busy.start <= start;
                until = std::min(until, active ? busy.end : busy.start);
                contention = active ? std::max(contention, busy.contention) : contention;
            }
            const Seconds needed = left * (1 + contention);
            if (start + needed <= until)
                return start + needed;
            left -= (until - start) / (1 + contention);
            start = until;
        }
    }

    [[nodiscard]] Seconds launchOf(Phase phase) const
    {
        return phase == Phase::Backward ? m_rates.backwardLaunch
                                        : m_rates.launch * (phase == Phase::Optimizer ? m_rates.optimizerLaunch : 1);
    }

    // Recomputation belongs to the backward pass that needs it.
    static Phase passOf(Phase phase) { return phase == Phase::Recompute ? Phase::Backward : phase; }

    [[nodiscard]] Seconds now() const { return *std::max_element(m_lanes.begin(), m_lanes.end()); }

    const StepPlan &m_plan;
    const DeviceRates &m_rates;
    const SimulationObserver &m_observer;
    Instances m_instances;
    const std::vector<Seconds> &m_kernelTimes;
    GatherLimit<Seconds> m_gatherLimit;
    std::vector<LastUse> m_lastUse;
    std::array<Seconds, EnumNames<Stream>::names.size()> m_lanes{}; // the end of each lane's last op
    // of each lane's last op
    std::vector<GroupId> m_lastGroups = std::vector<GroupId>(EnumNames<Stream>::names.size(), GroupId::None);
    std::array<BusyLane, EnumNames<Stream>::names.size()> m_busy{};
    std::map<GroupId, std::deque<Seconds>> m_sent; // start times of messages in rings that have not been received
    std::vector<Seconds> m_communicators =
        std::vector<Seconds>(m_plan.groups.size()); // the end of each group's last collective
    Seconds m_busyUntil = 0;                        // no collective runs after this time
    Seconds m_owed = 0;                             // time that the next kernel takes over from earlier ones
    Seconds m_host = 0;
    Phase m_pass = Phase::Forward;
    int m_repetitions = 1;
    StepTimes m_times;
};

} // namespace

StepTimes simulateStep(const StepPlan &plan, const DeviceRates &rates, const SimulationObserver &observer)
{
    const std::vector<Seconds> times = kernelTimes(plan, rates);
    if (!plan.cudaGraph)
        return Player(plan, rates, times, observer).run();
    DeviceRates graph = rates;
    graph.launch = graph.backwardLaunch = graph.kernelGap = rates.graphLaunch;
    const std::vector<Seconds> inGraph = kernelTimes(plan, graph);
    StepTimes played = Player(plan, graph, inGraph, observer).run();
    played.cudaGraph = true;
    return played;
}

} // namespace slipway
