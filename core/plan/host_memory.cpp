// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/host_memory.h"

#include <algorithm>
#include <vector>

#include "plan/build_plan.h"
#include "plan/simulated_units.h"
#include "plan/walk.h"

namespace slipway {

namespace {

Bytes &bytesFor(HostMemory &memory, Role role) { return memory[static_cast<std::size_t>(role)]; }

// What the CPU of a rank updates, and the weights that it holds.
class HostStates : SimulatedUnits {
public:
    using SimulatedUnits::SimulatedUnits;

    [[nodiscard]] HostMemory memory() const
    {
        HostMemory sum{};
        for (const Unit *u : units()) {
            const HostMemory one = of(*u);
            for (std::size_t role = 0; role < sum.size(); ++role)
                sum[role] += one[role] * (u->perLayer ? m_b.plan.layers : 1);
        }
        return sum;
    }

private:
    // Per trained parameter, DeepSpeed has 16 bytes there: the fp32 weight and gradient and both moments, and 2 more
    // with offloaded bf16 weights (estimate_zero2_model_states_mem_needs in zero/stage_1_and_2.py,
    // estimate_zero3_model_states_mem_needs in zero/stage3.py). FSDP's CPUOffload moves the shard of the parameter, and
    // its gradient and moments have the parameter's type and device (fsdp/_flat_param.py, _cpu_grad).
    [[nodiscard]] HostMemory of(const Unit &u) const
    {
        const bool holdsWeights = m_c.hostOffload == HostOffload::Weights && fsdp();
        const DType type = m_r.masters ? DType::Fp32 : m_r.freezesWeights() ? m_r.adapter : m_r.weight;
        const Bytes own = stateElements(u.trained, u.sharding) * sizeOf(type);
        HostMemory memory{};
        if (holdsWeights)
            bytesFor(memory, Role::Parameter) = shardBytes(u);
        if (m_r.masters || !holdsWeights) // otherwise the CPU updates the weights themselves
            bytesFor(memory, Role::MasterWeight) = own;
        bytesFor(memory, Role::Gradient) = own;
        bytesFor(memory, Role::OptimizerState) = momentBytes(u);
        return memory;
    }
};

// The most that forward passes have copied to the host and backward passes have not copied back.
Bytes offloadedActivations(const StepPlan &plan)
{
    Bytes held = 0, most = 0;
    forEachOp(plan, Repetitions::Once, [&](const Visit &visit) {
        const Kernel &kernel = plan.at(visit.op.kernel);
        if (kernel.kind != OpKind::HostCopy || visit.op.stream != Stream::Copy)
            return;
        held += visit.op.phase == Phase::Forward ? kernel.m * kernel.n : -kernel.m * kernel.n;
        most = std::max(most, held);
    });
    return most;
}

} // namespace

HostMemory hostMemoryOfRank(const RunConfig &config, const ModelSpec &model, int stage)
{
    HostMemory memory{};
    if (config.hostOffload != HostOffload::None)
        memory = HostStates(config, model, stage).memory();
    if (config.offloadActivations)
        bytesFor(memory, Role::Activation) = offloadedActivations(buildStage(config, model, stage));
    return memory;
}

HostMemory hostMemoryPerNode(const RunConfig &config, const ModelSpec &model)
{
    HostMemory most{};
    if (config.framework == Framework::Slipway ||
        (config.hostOffload == HostOffload::None && !config.offloadActivations))
        return most;
    const Parallelism &mesh = config.parallel;
    const int ranksOfStage = std::max(1, mesh.gpus / mesh.pp); // stages are the outermost axis of the mesh
    std::vector<HostMemory> stages;
    for (int stage = 0; stage < mesh.pp; ++stage)
        stages.push_back(hostMemoryOfRank(config, model, stage));
    for (int first = 0; first < mesh.gpus; first += std::max(1, mesh.gpusPerNode)) {
        HostMemory node{};
        for (int rank = first; rank < std::min(mesh.gpus, first + std::max(1, mesh.gpusPerNode)); ++rank) {
            const HostMemory &one = stages[static_cast<std::size_t>(std::min(rank / ranksOfStage, mesh.pp - 1))];
            for (std::size_t role = 0; role < node.size(); ++role)
                node[role] += one[role];
        }
        most = hostBytes(node) > hostBytes(most) ? node : most;
    }
    return most;
}

} // namespace slipway
