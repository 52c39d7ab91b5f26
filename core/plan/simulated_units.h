// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of one stage of a simulated framework on one rank: their units, gradients and states, and the groups of
// ranks that share them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/framework_recipe.h"
#include "plan/moe_sizes.h"
#include "plan/plan_builder.h"
#include "plan/simulated_layer.h"
#include "plan/simulated_tensors.h"

namespace slipway {

// Ranks that hold the same weights, and how they share them: experts have fewer than the rest under expert parallelism.
struct WeightSharding {
    int ranks = 1, shards = 1; // shards: 1 where weights are whole
    GroupId group{}, replicas{};
};

// The weights of one wrapped unit and what exists of them on a rank.
struct Unit {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t trained = 0; // of them, or of adapters beside them
    int tensors = 1;
    bool perLayer = false;
    WeightSharding sharding;
    BufferId weights{}, gradients{}; // resident: whole or this rank's shard
    BufferId masters{}, momentum{}, variance{};
    BufferId denominators{}; // roots of the second moments: all under foreach optimizers, of a tensor and the one
                             // before in loops
    BufferId gathered{}, gatherOutput{}, fullGradients{}, reduceInput{}; // FSDP only; gatherOutput: FSDP2
    BufferId heldOutput{},
        reduceOutput{};      // FSDP2: what the layer before gathered; what is reduced, where there are gradients
    BufferId flatGradient{}; // FSDP1, where it is made another type before it is reduced
    std::vector<BufferId>
        accumulated; // whole gradients between micro-batches that are not reduced, where backward writes elsewhere
    // What backward writes, which is `fullGradients` under FSDP, else `gradients`, lies in buffers of its own for these
    // tensors.
    std::vector<std::pair<std::string, BufferId>> written;
};

class SimulatedUnits {
public:
    // `stage`: of the pipeline, from 0. Both references must outlive it.
    SimulatedUnits(const RunConfig &config, const ModelSpec &model, int stage);

protected:
    StepPlan &plan() { return m_b.plan; }
    [[nodiscard]] bool first() const { return m_stage == 0; }
    [[nodiscard]] bool last() const { return m_stage == m_p.pp - 1; }
    [[nodiscard]] bool fsdp() const;
    // FSDP1's units are one tensor each.
    [[nodiscard]] bool isFlat() const { return fsdp() && !m_r.copiesGathered && !m_r.shardsEachTensor; }
    [[nodiscard]] bool reshards() const
    {
        return (m_p.kind == ParallelKind::FsdpFull || m_p.kind == ParallelKind::Hsdp) && !holdsWhole();
    }
    // Under a pipeline FSDP2 gathers once a step and reduces after its last micro-batch; until then weights and
    // gradients, in the type that is reduced, are whole (torch/distributed/pipelining/stage.py,
    // backward_maybe_with_nosync; torchtitan does not reshard there either). What FSDP1 keeps gathered from forward to
    // backward is one copy for all micro-batches in flight, too.
    // FSDP without a wrapping policy is one unit: all weights from the first gather to the end of backward.
    [[nodiscard]] bool isOneUnit() const { return fsdp() && !m_c.wrapLayers.value_or(true); }
    [[nodiscard]] bool holdsWhole() const
    {
        return isOneUnit() || (fsdp() && m_p.pp > 1 && (m_r.copiesGathered || m_p.kind == ParallelKind::FsdpGradOp));
    }
    // torch.distributed.pipelining: buffers for all micro-batches' messages, a stage's output until its backward has
    // run.
    [[nodiscard]] bool runsTorchPipeline() const { return m_p.pp > 1 && m_c.framework != Framework::Megatron; }
    // FSDP1's and FSDP2's gradients stay whole until the last micro-batch's are there (no_sync,
    // set_requires_gradient_sync).
    [[nodiscard]] bool reducesLast() const
    {
        return holdsWhole() || (fsdp() && m_c.gradReduce == GradReduce::Step && m_c.gradAccum > 1);
    }
    // Each micro-batch's are then added to what is kept apart: in FSDP2 by the type that is reduced, in FSDP1 flat.
    [[nodiscard]] bool accumulatesWhole() const
    {
        return reducesLast() && (isFlat() || (m_r.copiesGathered && m_r.reduced != m_r.compute));
    }
    // Backward writes gradients that do not outlive their layer.
    [[nodiscard]] bool passesGradients() const { return fsdp() && (!reducesLast() || accumulatesWhole()); }
    // torch's ZeroRedundancyOptimizer beside DDP: trainers with masters have a first stage of ZeRO of their own.
    [[nodiscard]] bool runsZeroOptimizer() const
    {
        return m_p.kind == ParallelKind::Zero1 && m_c.framework != Framework::Megatron && !m_r.masters &&
               dataRanks() > 1;
    }
    [[nodiscard]] bool runsDdp() const
    {
        return (m_p.kind == ParallelKind::Ddp && m_c.framework != Framework::Megatron && dataRanks() > 1) ||
               runsZeroOptimizer();
    }
    // Gradients are in DDP's buckets when the sums are through; micro-batches that sum nothing make theirs beside them.
    [[nodiscard]] bool bucketViews() const
    {
        return runsDdp() && m_c.gradientAsBucketView &&
               (m_c.gradAccum == 1 || m_c.gradReduce == GradReduce::MicroBatch);
    }
    [[nodiscard]] bool keepsGradients() const { return m_r.keepsGradients || bucketViews(); } // from step to step
    // Masters and moments are the host's, whose CPUs update them.
    [[nodiscard]] bool updatesOnHost() const { return m_c.hostOffload != HostOffload::None; }
    // DeepSpeed's second stage: half weights stay whole, gradients and states are shared out (zero/stage_1_and_2.py).
    [[nodiscard]] bool keepsWeightsWhole() const
    {
        return fsdp() && m_p.pp == 1 && m_c.sharder == Sharder::DeepSpeed && m_p.kind == ParallelKind::FsdpGradOp;
    }
    // Its third: weights, too.
    [[nodiscard]] bool runsZero3() const { return fsdp() && m_c.sharder == Sharder::DeepSpeed && reshards(); }
    // Ranks that hold the same weights: data and context parallel.
    [[nodiscard]] int dataRanks() const { return m_p.dataParallel() * m_p.cp; }
    [[nodiscard]] std::vector<const Unit *> layerUnits() const
    {
        return m_m.experts.count > 0 ? std::vector<const Unit *>{&m_layer, &m_experts}
                                     : std::vector<const Unit *>{&m_layer};
    }
    [[nodiscard]] std::vector<const Unit *> units() const;
    [[nodiscard]] bool splitsEnds() const { return fsdp() && m_r.splitsEnds; }
    [[nodiscard]] const Unit &embeddingUnit() const { return splitsEnds() ? m_embedding : m_root; }
    [[nodiscard]] SimulatedWeights weightsOf(const Unit &u) const
    {
        SimulatedWeights w{
            {.buffer = fsdp() ? u.gathered : u.weights}, {.buffer = fsdp() ? u.fullGradients : u.gradients}, {}};
        for (const auto &[name, buffer] : u.written)
            w.tensors.emplace_back(name, Use{.buffer = buffer});
        return w;
    }
    // Gradients as backward wrote them, and as they wait for the optimizer.
    [[nodiscard]] std::vector<Use> writtenGradients(const Unit &u) const;
    [[nodiscard]] std::vector<Use> residentGradients(const Unit &u) const
    {
        return fsdp() ? std::vector<Use>{{.buffer = u.gradients}} : writtenGradients(u);
    }
    [[nodiscard]] static std::vector<Use> accumulatedGradients(const Unit &u)
    {
        std::vector<Use> uses;
        for (const BufferId buffer : u.accumulated)
            uses.push_back({.buffer = buffer});
        return uses;
    }
    [[nodiscard]] Bytes residentBytes(const Unit &u) const;

    [[nodiscard]] std::int64_t stateElements(std::int64_t elements, const WeightSharding &sharding) const;
    [[nodiscard]] std::int64_t stageElements() const
    {
        return m_root.elements + m_embedding.elements + (m_layer.elements + m_experts.elements) * m_b.plan.layers;
    }
    [[nodiscard]] std::int64_t trainedElements() const
    {
        return m_root.trained + m_embedding.trained + (m_layer.trained + m_experts.trained) * m_b.plan.layers;
    }

    KernelId bytesKernel(double read, double written, CostClass cost = CostClass::Elementwise, bool mixed = false,
        std::int32_t calls = 1)
    {
        return m_b.kernel({.kind = OpKind::Elementwise,
            .type = m_r.compute,
            .cost = cost,
            .calls = calls,
            .mixed = mixed,
            .bytesRead = static_cast<Bytes>(read),
            .bytesWritten = static_cast<Bytes>(written)});
    }
    KernelId collective(OpKind kind, Bytes bytes, GroupId group)
    {
        return m_b.kernel(
            {.kind = kind, .type = m_r.compute, .m = 1, .n = bytes, .messageBytes = bytes, .group = group});
    }

    const RunConfig &m_c;
    const ModelSpec &m_m;
    FrameworkRecipe m_r;
    const Parallelism &m_p;
    int m_stage;
    PlanBuilder m_b;
    SimulatedSizes m_s;
    ExpertSizes m_e;
    WeightSharding m_dense, m_sparse;
    GroupId m_pipeGroup{};
    Unit m_root, m_layer, m_experts; // m_experts: nothing in a dense model
    Unit m_embedding;                // of its own where fsdp() and the recipe splits the ends, else part of m_root

private:
    // Bytes of an optimizer's states on this rank; 0: none.
    struct Moments {
        Bytes first = 0, second = 0;
    };
    void addGroups();
    [[nodiscard]] SimulatedSizes sizes() const;
    void addUnits();
    Unit addUnit(const std::string &name, std::int64_t elements, bool perLayer, const WeightSharding &sharding,
        const std::vector<UnitTensor> &tensors = {});
    // A buffer of the unit, on each layer where the unit is.
    BufferId add(const Unit &u, const std::string &what, std::int64_t elements, DType type, Role role, Scope scope);
    void addWeights(Unit &u, std::int64_t elements);
    BufferId frozenWeights(const Unit &u, std::int64_t resident);
    void addMoments(Unit &u);
    [[nodiscard]] Moments momentsOf(const Unit &u) const;
    [[nodiscard]] DType momentType() const;
    [[nodiscard]] bool hasSeparateGradients() const;
    [[nodiscard]] std::int64_t unnamedElements(const Unit &u, const std::vector<UnitTensor> &tensors) const;
    void addGradients(Unit &u, const std::vector<UnitTensor> &tensors);
    void addDenominators(Unit &u, const std::vector<UnitTensor> &tensors);
    void addGathered(Unit &u);
    void addReduced(Unit &u, std::int64_t unnamed);
    void addAccumulated(Unit &u);
    void listTensors(const Unit &u, const std::vector<UnitTensor> &tensors);
    // What the rank with most has of all weights, where each tensor's states lie on one rank (ZeroRedundancyOptimizer).
    [[nodiscard]] double largestPart() const;
    [[nodiscard]] std::int64_t largestTensor(const Unit &u, const std::vector<UnitTensor> &tensors) const;

    StageTensors m_tensors;
    double m_ownStates = 1; // of all weights: largestPart()
};

} // namespace slipway
