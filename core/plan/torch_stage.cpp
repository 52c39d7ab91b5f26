// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/torch_stage.h"

#include <algorithm>

#include "plan/pipeline_schedule.h"

namespace slipway {

TorchStage::TorchStage(const RunConfig &config, const ModelSpec &model, int stage)
    : m_c(config), m_m(model), m_r(torchRecipe(config, model)), m_p(config.parallel), m_stage(stage)
{
    m_b.plan.layers = layersOf(stage);
    m_b.plan.firstLayer = stage * int(ceilDiv(model.layers, m_p.pp));
    m_b.plan.gradAccum = config.gradAccum;
    m_b.plan.microBatchesInFlight = static_cast<int>(std::min<std::int64_t>(microBatchesHeld(m_p, stage), config.gradAccum));
    addGroups();
    m_s = sizes();
    if (model.experts > 0)
        m_e = expertSizes(config, model, plan().groups, m_s.tokens);
    addUnits();
    addReduceBucket();
    addStream();
}

bool TorchStage::fsdp() const
{
    return (m_p.kind == ParallelKind::FsdpFull || m_p.kind == ParallelKind::FsdpGradOp || m_p.kind == ParallelKind::Hsdp) && dataRanks() > 1;
}

std::vector<const Unit *> TorchStage::units() const
{
    std::vector<const Unit *> list = layerUnits();
    list.insert(list.begin(), &m_root);
    return list;
}

int TorchStage::layersOf(int stage) const
{
    const int base = m_m.layers / m_p.pp, rest = m_m.layers % m_p.pp;
    return base + (stage < rest ? 1 : 0);
}

void TorchStage::addGroups()
{
    const auto group = [&](std::string axis, int size, int stride) {
        plan().groups.push_back({.axis = std::move(axis), .size = size, .stride = stride});
        return static_cast<GroupId>(plan().groups.size() - 1);
    };
    m_s.tpGroup = group("tp", m_p.tp, 1);
    m_s.cpGroup = group("cp", m_p.cp, m_p.tp);
    const auto spread = [&](const std::string &axis, int ranks, int shards, int stride) {
        Spread s{.ranks = ranks, .shards = fsdp() ? shards : 1};
        s.group = group(axis, fsdp() ? shards : ranks, stride);
        s.replicas = group(axis == "dp" ? "replicas" : "expert_replicas", ranks / shards, stride * shards);
        return s;
    };
    m_dense = spread("dp", dataRanks(), m_p.shardRanks(), m_p.tp);
    m_pipeGroup = group("pp", m_p.pp, m_p.tp * dataRanks());
    if (m_m.experts == 0)
        return;
    // Expert-parallel ranks lie next to each other, their copies behind (Megatron-LM's order tp-ep-dp-pp).
    group("ep", m_p.ep, m_p.tp);
    m_sparse = spread("edp", dataRanks() / m_p.ep, std::max(1, m_p.shardRanks() / m_p.ep), m_p.tp * m_p.ep);
}

TorchSizes TorchStage::sizes() const
{
    TorchSizes s = m_s;
    s.batch = m_c.microBatch;
    s.fullSeq = m_c.seqLen;
    s.seq = ceilDiv(m_c.seqLen, m_p.cp);
    s.tokens = s.batch * s.seq;
    s.hidden = m_m.hidden;
    s.heads = ceilDiv(m_m.heads, m_p.tp);
    s.kvHeads = ceilDiv(m_m.kvHeads, m_p.tp);
    s.headDim = m_m.headDim;
    s.ffn = ceilDiv(m_m.ffn, m_p.tp);
    s.vocab = ceilDiv(m_m.vocab, m_p.tp);
    s.tp = m_p.tp;
    s.cp = m_p.cp;
    return s;
}

// Experts are a unit of their own.
std::int64_t TorchStage::layerElements() const
{
    return m_m.experts > 0 ? ceilDiv(blockParameterCount(m_m) - expertParameterCount(m_m) - routerParameterCount(m_m), m_p.tp) + routerParameterCount(m_m)
                           : ceilDiv(blockParameterCount(m_m), m_p.tp);
}

std::int64_t TorchStage::rootElements() const
{
    const std::int64_t table = m_s.vocab * m_s.hidden;
    std::int64_t elements = 2 * m_s.hidden;
    if (first())
        elements += table + std::int64_t{m_m.maxPositions} * m_s.hidden;
    if (last() && !(m_m.tied && first()))
        elements += table;
    return elements;
}

Unit TorchStage::addUnit(const std::string &name, std::int64_t elements, bool perLayer, const Spread &spread)
{
    Unit u{.elements = elements, .perLayer = perLayer, .spread = spread};
    const int shards = spread.shards;
    const int stateShards = m_p.kind == ParallelKind::Zero1 ? spread.ranks : shards;
    const auto add = [&](const std::string &what, std::int64_t n, DType type, Role role, Scope scope) {
        return m_b.buffer({.name = name + "." + what, .bytes = n * sizeOf(type), .type = type, .role = role, .scope = scope, .perLayer = perLayer});
    };
    const std::int64_t own = ceilDiv(elements, shards), ownState = ceilDiv(elements, stateShards);
    u.weights = add("weights", own, m_r.weight, Role::Parameter, Scope::Run);
    u.masters = m_r.masters ? add("masters", ownState, DType::Fp32, Role::Master, Scope::Run) : u.weights;
    const DType moment = m_r.masters || m_r.weight == DType::Fp32 ? DType::Fp32 : m_r.weight;
    if (m_c.optimizer != OptimizerKind::Sgd) {
        const auto bytes = m_c.optimizer == OptimizerKind::AdamW8bit ? ownState + ownState / 128 : ownState * sizeOf(moment);
        const auto state = [&](const std::string &what) { return m_b.buffer({.name = name + "." + what, .bytes = bytes, .type = moment, .role = Role::OptimizerState, .scope = Scope::Run, .perLayer = perLayer}); };
        u.momentum = state("momentum");
        u.variance = state("variance");
    } else {
        u.momentum = u.variance = u.masters;
    }
    const bool resident = m_c.framework == Framework::Megatron; // one contiguous buffer for the run
    u.gradients = add("gradients", own, m_r.gradient, Role::Gradient, resident ? Scope::Run : Scope::Step);
    if (fsdp()) {
        u.gathered = add("gathered", elements, m_r.gathered, Role::Communication, Scope::MicroBatch);
        u.fullGradients = add("full_gradients", elements, m_r.compute, Role::Gradient, Scope::MicroBatch);
        u.reduceInput = add("reduce_input", elements, m_r.compute, Role::Communication, Scope::MicroBatch);
    }
    return u;
}

void TorchStage::addUnits()
{
    m_root = addUnit("root", rootElements(), false, m_dense);
    m_layer = addUnit("layer", layerElements(), true, m_dense);
    if (m_m.experts > 0)
        m_experts = addUnit("experts", m_e.elements, true, m_sparse);
    if (m_p.kind == ParallelKind::Ddp && m_c.framework != Framework::Megatron && dataRanks() > 1) {
        // gradient_as_bucket_view is off by default: flat buckets hold every gradient once more.
        m_b.buffer({.name = "ddp.buckets", .bytes = stageElements() * sizeOf(m_r.gradient), .type = m_r.gradient, .role = Role::Communication, .scope = Scope::Run});
    }
}

// DeepSpeed's ZeRO gathers half gradients into a bucket (reduce_bucket_size 5e8 elements, its documented default).
void TorchStage::addReduceBucket()
{
    constexpr std::int64_t kBucket = 500'000'000;
    const bool deepSpeed = m_c.sharder == Sharder::DeepSpeed || (m_c.framework == Framework::Megatron && m_c.precision == Precision::Fp16Mixed && m_p.kind == ParallelKind::Zero1);
    if (deepSpeed && dataRanks() > 1)
        m_b.buffer({.name = "deepspeed.bucket", .bytes = std::min(kBucket, stageElements()) * sizeOf(m_r.compute), .type = m_r.compute, .role = Role::Communication, .scope = Scope::Run});
}

void TorchStage::addStream()
{
    const std::int64_t width = m_r.sequenceParallel ? ceilDiv(m_s.hidden, m_s.tp) : m_s.hidden;
    const Bytes bytes = m_s.tokens * width * sizeOf(m_r.residual);
    m_x = m_b.buffer({.name = "x", .bytes = bytes, .type = m_r.residual, .role = Role::Activation, .scope = Scope::MicroBatch, .perLayer = true});
    m_dx = m_b.buffer({.name = "dx", .bytes = bytes, .type = m_r.residual, .role = Role::Activation, .scope = Scope::MicroBatch, .perLayer = true});
    m_loss = m_b.buffer({.name = "loss", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
}

} // namespace slipway
