// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of one stage of a simulated framework on one rank: their units, gradients and optimizer states, and the
// groups of ranks that shard or replicate them.
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

// The ranks over which weights are sharded or replicated. Under expert parallelism, experts have fewer ranks than other
// weights.
struct WeightSharding {
    int ranks = 1, shards = 1; // shards: 1 if the weights are not sharded
    GroupId group{0}, replicas{0};
};

// The weights of one FSDP unit, or of one layer or end of the model, and their buffers on a rank.
struct Unit {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t trained = 0; // trained elements: of the weights, or of their adapters
    int tensors = 1;
    bool perLayer = false;
    WeightSharding sharding;
    BufferId weights{}, gradients{}; // resident: unsharded, or this rank's shard
    BufferId masters{}, momentum{}, variance{};
    BufferId denominators{}; // roots of the second moments: of all tensors in multi-tensor optimizers, of two tensors
                             // in for-loop optimizers
    BufferId gathered{}, gatherOutput{}, fullGradients{}, reduceInput{}; // FSDP only; gatherOutput: FSDP2
    // FSDP2: the all-gather's output of the previous layer; the reduce-scatter's output, if gradients exist already
    BufferId previousOutput{}, reduceOutput{};
    BufferId flatGradient{}; // FSDP1: the gradient in the type in which it is reduced, if this is another type
    // Unsharded gradients that accumulate over micro-batches without a reduction, if the backward pass writes to other
    // buffers
    std::vector<BufferId> accumulated;
    // Tensors whose gradients the backward pass writes to separate buffers, instead of to `fullGradients` (FSDP) or
    // `gradients`.
    std::vector<std::pair<std::string, BufferId>> written;
};

class SimulatedUnits {
public:
    // `stage` counts from 0. `config` and `model` must outlive the object.
    SimulatedUnits(const RunConfig &config, const ModelSpec &model, int stage);

protected:
    StepPlan &plan() { return m_b.plan; }
    [[nodiscard]] bool first() const { return m_stage == 0; }
    [[nodiscard]] bool last() const { return m_stage == m_p.pp - 1; }
    [[nodiscard]] bool fsdp() const;
    // Whether a unit is one flat tensor (FSDP1).
    [[nodiscard]] bool isFlat() const { return fsdp() && !m_r.copiesGathered && !m_r.shardsEachTensor; }
    [[nodiscard]] bool reshards() const
    {
        return (m_p.kind == ParallelKind::FsdpFull || m_p.kind == ParallelKind::Hsdp) && !keepsUnsharded();
    }
    // FSDP without a wrapping policy has one unit: all weights are gathered until the end of the backward pass.
    [[nodiscard]] bool isOneUnit() const { return fsdp() && !m_c.simulated.wrapLayers.value_or(true); }
    // Whether weights stay unsharded during the step. In a pipeline, FSDP2 gathers once per step and reduces after the
    // last micro-batch. Until then weights, and gradients in their reduction type, are unsharded
    // (torch/distributed/pipelining/stage.py, backward_maybe_with_nosync; torchtitan does not reshard either). What
    // FSDP1 keeps gathered between forward and backward pass is also one copy for all micro-batches in flight.
    [[nodiscard]] bool keepsUnsharded() const
    {
        return isOneUnit() || (fsdp() && m_p.pp > 1 && (m_r.copiesGathered || m_p.kind == ParallelKind::FsdpGradOp));
    }
    // torch.distributed.pipelining has message buffers for all micro-batches, and keeps the output of a stage until its
    // backward pass.
    [[nodiscard]] bool runsTorchPipeline() const { return m_p.pp > 1 && m_c.framework != Framework::Megatron; }
    // Whether gradients stay unsharded until the last micro-batch (no_sync of FSDP1, set_requires_gradient_sync of
    // FSDP2).
    [[nodiscard]] bool reducesLast() const
    {
        return keepsUnsharded() || (fsdp() && m_c.gradReduce == GradReduce::Step && m_c.gradAccum > 1);
    }
    // Whether the gradients of each micro-batch are added to separate unsharded ones: in FSDP2 in the reduction type,
    // in FSDP1 in flat tensors.
    [[nodiscard]] bool accumulatesWhole() const
    {
        return reducesLast() && (isFlat() || (m_r.copiesGathered && m_r.reduced != m_r.compute));
    }
    // Whether the gradients that the backward pass writes are freed with their layer.
    [[nodiscard]] bool passesGradients() const { return fsdp() && (!reducesLast() || accumulatesWhole()); }
    // FSDP's unsharded gradients have the type of the computation. FSDP2's stay so while they are accumulated, if they
    // are reduced in this type (torch 2.6 to 2.11, _fsdp_param.py, init_dtype_attrs and to_accumulated_grad_if_needed).
    [[nodiscard]] DType writtenGradientType() const
    {
        return passesGradients() || (fsdp() && m_r.copiesGathered) ? m_r.compute : m_r.gradient;
    }
    // Whether gradients are reduced by PyTorch's DDP. Megatron-LM and DeepSpeed reduce them themselves.
    [[nodiscard]] bool reducesLikeDdp() const
    {
        return m_c.framework != Framework::Megatron && m_c.simulated.sharder != Sharder::DeepSpeed && dataRanks() > 1;
    }
    // Whether PyTorch's ZeroRedundancyOptimizer runs with DDP. Trainers with master weights implement ZeRO-1
    // themselves.
    [[nodiscard]] bool runsZeroOptimizer() const
    {
        return m_p.kind == ParallelKind::Zero1 && reducesLikeDdp() && !m_r.masters;
    }
    [[nodiscard]] bool runsDdp() const
    {
        return (m_p.kind == ParallelKind::Ddp && reducesLikeDdp()) || runsZeroOptimizer();
    }
    // Whether gradients are views of DDP's buckets. Under no_sync, gradients are allocated separately.
    [[nodiscard]] bool bucketViews() const
    {
        return runsDdp() && m_c.simulated.gradientAsBucketView &&
               (m_c.gradAccum == 1 || m_c.gradReduce == GradReduce::MicroBatch);
    }
    [[nodiscard]] bool keepsGradients() const { return m_r.keepsGradients || bucketViews(); } // from step to step
    [[nodiscard]] bool zeroesLate() const { return m_r.zeroesLate && !bucketViews(); }
    // Whether the host keeps and updates master weights and moments.
    [[nodiscard]] bool updatesOnHost() const { return m_c.hostOffload != HostOffload::None; }
    // DeepSpeed's ZeRO-2: bf16 or fp16 weights are not sharded, gradients and optimizer states are
    // (zero/stage_1_and_2.py).
    [[nodiscard]] bool keepsWeightsWhole() const
    {
        return fsdp() && m_p.pp == 1 && m_c.simulated.sharder == Sharder::DeepSpeed &&
               m_p.kind == ParallelKind::FsdpGradOp;
    }
    // DeepSpeed's ZeRO-3, which also shards the weights.
    [[nodiscard]] bool runsZero3() const { return fsdp() && m_c.simulated.sharder == Sharder::DeepSpeed && reshards(); }
    // Number of data-parallel times context-parallel ranks, which have the same weights.
    [[nodiscard]] int dataRanks() const { return m_p.dataParallel() * m_p.cp; }
    [[nodiscard]] std::vector<const Unit *> layerUnits() const
    {
        return m_m.experts.count > 0 ? std::vector<const Unit *>{&m_layer, &m_experts}
                                     : std::vector<const Unit *>{&m_layer};
    }
    [[nodiscard]] std::vector<const Unit *> units() const;
    [[nodiscard]] bool splitsEnds() const { return fsdp() && !isOneUnit() && m_r.splitsEnds; }
    [[nodiscard]] const Unit &embeddingUnit() const { return splitsEnds() ? m_embedding : m_root; }
    [[nodiscard]] SimulatedWeights weightsOf(const Unit &u) const
    {
        SimulatedWeights w{
            {.buffer = fsdp() ? u.gathered : u.weights}, {.buffer = fsdp() ? u.fullGradients : u.gradients}, {}};
        for (const auto &[name, buffer] : u.written)
            w.tensors.emplace_back(name, Use{.buffer = buffer});
        return w;
    }
    // Gradients as the backward pass writes them, and as the optimizer reads them.
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
    // Bytes of this rank's shard of the weights, and of its moments, on whichever device they are.
    [[nodiscard]] Bytes shardBytes(const Unit &u) const;
    [[nodiscard]] Bytes momentBytes(const Unit &u) const;
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
    GroupId m_pipeGroup{0};
    Unit m_root, m_layer, m_experts; // m_experts: empty in a dense model
    Unit m_embedding;                // a separate unit if splitsEnds(), otherwise part of m_root

private:
    // Bytes of the optimizer's moments on this rank; 0: none.
    struct Moments {
        Bytes first = 0, second = 0;
    };
    void addGroups();
    [[nodiscard]] SimulatedSizes sizes() const;
    void addUnits();
    Unit addUnit(const std::string &name, std::int64_t elements, bool perLayer, const WeightSharding &sharding,
        const std::vector<UnitTensor> &tensors = {});
    // Adds a buffer of the unit, one per layer if the unit is a layer.
    BufferId add(const Unit &u, const std::string &what, std::int64_t elements, DType type, Role role, Scope scope);
    void addWeights(Unit &u, std::int64_t elements);
    BufferId frozenWeights(const Unit &u, std::int64_t resident);
    [[nodiscard]] Bytes frozenBytes(const Unit &u, std::int64_t elements) const;
    void addMoments(Unit &u);
    [[nodiscard]] Moments momentsOf(const Unit &u) const;
    [[nodiscard]] Moments momentsAnywhere(const Unit &u) const;
    [[nodiscard]] DType momentType() const;
    [[nodiscard]] bool hasSeparateGradients() const;
    [[nodiscard]] std::int64_t unnamedElements(const Unit &u, const std::vector<UnitTensor> &tensors) const;
    void addGradients(Unit &u, const std::vector<UnitTensor> &tensors);
    void addDenominators(Unit &u, const std::vector<UnitTensor> &tensors);
    void addGathered(Unit &u);
    void addReduced(Unit &u, std::int64_t unnamed);
    void addAccumulated(Unit &u);
    void listTensors(const Unit &u, const std::vector<UnitTensor> &tensors);
    // The largest fraction of the optimizer states that a rank has, if the states of a tensor are on one rank
    // (ZeroRedundancyOptimizer).
    [[nodiscard]] double largestStateFraction() const;
    [[nodiscard]] std::int64_t largestTensor(const Unit &u, const std::vector<UnitTensor> &tensors) const;

    StageTensors m_tensors;
    double m_stateFraction = 1; // of all weights: largestStateFraction()
};

} // namespace slipway
