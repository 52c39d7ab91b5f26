// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/collective_time.h"

#include <algorithm>
#include <cmath>

#include "speed/all_to_all.h"

namespace slipway {

namespace {

// At 4 ranks and fewer the switch gains nothing over a ring (nccl-tests on Hopper nodes).
constexpr int kFewestForSwitch = 5;

// Bytes of the message that cross a rank's links on a ring of n.
double ringPasses(OpKind kind, double n) { return kind == OpKind::AllReduce ? 2 * (n - 1) / n : kind == OpKind::SendReceive ? 1 : (n - 1) / n; }

Collective inNode(const Kernel &kernel, double n, const DeviceRates &rates)
{
    const double volume = ringPasses(kernel.kind, n) * double(kernel.messageBytes);
    const Collective ring{CollectiveAlgorithm::Ring, timeOver(rates.nodeLink, n, volume)};
    if (kernel.kind != OpKind::AllReduce || n < kFewestForSwitch || rates.nodeSwitch.bandwidth <= 0)
        return ring;
    const Collective nvls{CollectiveAlgorithm::Nvls, rates.nodeSwitch.latency + volume / rates.nodeSwitch.bandwidth};
    return nvls.seconds < ring.seconds ? nvls : ring;
}

// Ranks of a node that are in the same group cross the network once for all of them; those of other groups share it.
Collective betweenNodes(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    const double n = group.size, together = std::min(std::max(1.0, double(rates.gpusPerNode) / group.stride), n), sharing = rates.gpusPerNode / together;
    const Link &far = rates.networkLink;
    const double volume = ringPasses(kernel.kind, n) * double(kernel.messageBytes);
    const Seconds within = timeOver(rates.nodeLink, n, volume);
    const Collective ring{CollectiveAlgorithm::Ring, std::max(within, timeOver(far, n, volume * sharing))};
    if (kernel.kind != OpKind::AllReduce)
        return ring;
    // Up a tree of nodes and down again; in a node the ranks stand in a chain.
    const double levels = std::ceil(std::log2(std::max(2.0, n / together)));
    const Seconds latency = far.latency + 2 * (levels * rates.treeHop + (together - 1) * rates.nodeLink.latencyPerRank);
    const Collective tree{CollectiveAlgorithm::Tree, latency + 2 * double(kernel.messageBytes) * sharing / (far.bandwidth * rates.treePart)};
    return tree.seconds < ring.seconds ? tree : ring;
}

} // namespace

const Link &linkOf(const Group &group, const DeviceRates &rates)
{
    return group.size * group.stride > rates.gpusPerNode ? rates.networkLink : rates.nodeLink;
}

Collective collectiveOf(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    if (group.size <= 1)
        return {};
    if (kernel.calls > 1) { // equal parts of the message, one after another
        Kernel one = kernel;
        one.messageBytes = ceilDiv(kernel.messageBytes, std::int64_t{kernel.calls});
        one.calls = 1;
        Collective all = collectiveOf(one, group, rates);
        all.seconds *= kernel.calls;
        return all;
    }
    if (kernel.kind == OpKind::AllToAll)
        return {CollectiveAlgorithm::Pairwise, allToAllTime(kernel, group, rates)};
    if (&linkOf(group, rates) != &rates.nodeLink)
        return betweenNodes(kernel, group, rates);
    Collective collective = inNode(kernel, group.size, rates);
    collective.seconds *= 1 - kernel.hidden * (1 - rates.nodeLink.contention); // what is hidden still takes its part of the multiprocessors
    return collective;
}

} // namespace slipway
