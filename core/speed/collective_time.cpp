// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/collective_time.h"

#include <algorithm>
#include <cmath>

#include "speed/all_to_all.h"

namespace slipway {

namespace {

// With 4 ranks or fewer, the switch is not faster than a ring (nccl-tests on Hopper nodes).
constexpr int kFewestForSwitch = 5;

// The factor of the message size that crosses the links of a rank on a ring of n.
double ringPasses(OpKind kind, double n)
{
    return kind == OpKind::AllReduce ? 2 * (n - 1) / n : isPointToPoint(kind) ? 1 : (n - 1) / n;
}

Collective inNode(const Kernel &kernel, double n, const DeviceRates &rates)
{
    const double volume = ringPasses(kernel.kind, n) * double(kernel.messageBytes);
    const Collective ring{CollectiveAlgorithm::Ring, transferTime(rates.nodeLink, n, volume)};
    if (kernel.kind != OpKind::AllReduce || n < kFewestForSwitch || rates.nodeSwitch.bandwidth <= 0)
        return ring;
    const Collective nvls{CollectiveAlgorithm::Nvls, rates.nodeSwitch.latency + volume / rates.nodeSwitch.bandwidth};
    return nvls.seconds < ring.seconds ? nvls : ring;
}

// Megatron-LM reduces gradients and gathers weights in buckets whose size grows with the number of ranks. The layers of
// a bucket share the fixed costs of a collective (Megatron-Core 0.10, distributed_data_parallel.py). Returns the
// fraction of a bucket that this message is.
double bucketPart(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    if (rates.bucketElements <= 0 || group.axis != "dp")
        return 1;
    const double numbers = double(kernel.messageBytes) / double(sizeOf(kernel.type));
    return std::min(1.0, numbers / std::max(rates.fewestBucketElements, double(group.size) * rates.bucketElements));
}

// Ranks of a node in the same group cross the network once for all of them. Ranks in other groups share the network
// with them.
Collective betweenNodes(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    const double n = group.size, together = std::min(std::max(1.0, double(rates.gpusPerNode) / group.stride), n),
                 sharing = rates.gpusPerNode / together;
    const Link &far = rates.networkLink;
    const double volume = ringPasses(kernel.kind, n) * double(kernel.messageBytes);
    const Seconds within = transferTime(rates.nodeLink, n, volume);
    // A ring passes every rank, and crosses between nodes once per node. A message to another stage goes one way.
    const double steps = isPointToPoint(kernel.kind) ? 1 : n, nodes = isPointToPoint(kernel.kind) ? 1 : n / together;
    const Seconds passing =
        (steps * far.latencyPerRank + nodes * rates.treeHopLatency) * bucketPart(kernel, group, rates);
    const Collective ring{CollectiveAlgorithm::Ring,
        std::max(within, transferTime(far, n, volume * sharing) - n * far.latencyPerRank + passing)};
    if (kernel.kind != OpKind::AllReduce)
        return ring;
    // The tree of nodes is passed upwards and downwards. Within a node, the ranks form a chain.
    const double levels = std::ceil(std::log2(std::max(2.0, n / together)));
    const Seconds latency =
        far.latency + 2 * (levels * rates.treeHopLatency + (together - 1) * rates.nodeLink.latencyPerRank);
    const Collective tree{CollectiveAlgorithm::Tree,
        latency + 2 * double(kernel.messageBytes) * sharing / (far.bandwidth * rates.treeEfficiency)};
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
    if (kernel.calls > 1) { // equal parts of the message, in sequence
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
    collective.seconds *=
        1 - kernel.overlapFraction *
                (1 - rates.nodeLink.contention); // overlapped communication still occupies multiprocessors
    return collective;
}

} // namespace slipway
