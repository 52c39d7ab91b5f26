// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_units.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "config/pipeline_layers.h"
#include "plan/data_parallel.h"
#include "plan/pipeline_schedule.h"

namespace slipway {

namespace {

// A unit with only frozen weights has buffers of one element.
std::int64_t trainedOrOne(const Unit &u) { return std::max<std::int64_t>(1, u.trained); }

} // namespace

SimulatedUnits::SimulatedUnits(const RunConfig &config, const ModelSpec &model, int stage)
    : m_c(config),
      m_m(model),
      m_r(frameworkRecipe(config, model)),
      m_p(config.parallel),
      m_stage(stage),
      m_tensors(m_m, m_r, m_s, first(), last(), splitsEnds())
{
    m_b.plan.layers = layersOfStage(m_p, model.layers, stage);
    m_b.plan.layerNumbers = layerNumbersOfStage(m_p, model.layers, stage);
    m_b.plan.gradAccum = config.gradAccum;
    m_b.plan.microBatchesInFlight =
        static_cast<int>(std::min<std::int64_t>(maxMicroBatchesInFlight(m_p, stage), config.gradAccum));
    addGroups();
    m_s = sizes();
    if (model.experts.count > 0)
        m_e = expertSizes(config, model, plan().groups, m_s.tokens);
    addUnits();
}

bool SimulatedUnits::fsdp() const { return runsFsdp(m_p.kind) && dataRanks() > 1; }

std::vector<const Unit *> SimulatedUnits::units() const
{
    std::vector<const Unit *> list = layerUnits();
    list.insert(list.begin(), &m_root);
    if (splitsEnds())
        list.insert(list.begin(), &m_embedding);
    return list;
}

void SimulatedUnits::addGroups()
{
    const auto group = [&](std::string axis, int size, int stride) {
        plan().groups.push_back({.axis = std::move(axis), .size = size, .stride = stride});
        return static_cast<GroupId>(plan().groups.size() - 1);
    };
    m_s.tpGroup = group("tp", m_p.tp, 1);
    m_s.cpGroup = group("cp", m_p.cp, m_p.tp);
    const auto sharding = [&](const std::string &axis, int ranks, int shards, int stride) {
        WeightSharding s{.ranks = ranks, .shards = fsdp() ? shards : 1};
        s.group = group(axis, fsdp() ? shards : ranks, stride);
        s.replicas = group(axis == "dp" ? "replicas" : "expert_replicas", ranks / shards, stride * shards);
        return s;
    };
    m_dense = sharding("dp", dataRanks(), m_p.shardRanks(), m_p.tp);
    m_pipeGroup = group("pp", m_p.pp, m_p.tp * dataRanks());
    if (m_m.experts.count == 0)
        return;
    // Expert-parallel ranks are adjacent, and their replicas follow (Megatron-LM's order tp-ep-dp-pp).
    group("ep", m_p.ep, m_p.tp);
    m_sparse = sharding("edp", dataRanks() / m_p.ep, std::max(1, m_p.shardRanks() / m_p.ep), m_p.tp * m_p.ep);
}

SimulatedSizes SimulatedUnits::sizes() const
{
    SimulatedSizes s = m_s;
    s.batch = m_c.microBatch;
    s.fullSeq = m_c.seqLen;
    s.seq = ceilDiv(m_c.seqLen, m_p.cp);
    s.tokens = s.batch * s.seq;
    s.hidden = m_m.hidden;
    s.heads = ceilDiv(m_m.attention.heads, m_p.tp);
    s.kvHeads = ceilDiv(m_m.attention.kvHeads, m_p.tp);
    s.headDim = m_m.attention.headDim;
    s.ffn = ceilDiv(m_m.mlp.width, m_p.tp);
    // Megatron-LM pads the table: --make-vocab-size-divisible-by.
    s.vocab = m_c.framework == Framework::Megatron ? roundUp(m_m.vocab, m_c.simulated.vocabMultiple * m_p.tp) / m_p.tp
                                                   : ceilDiv(m_m.vocab, m_p.tp);
    s.tp = m_p.tp;
    s.cp = m_p.cp;
    return s;
}

std::vector<Use> SimulatedUnits::writtenGradients(const Unit &u) const
{
    std::vector<Use> uses{{.buffer = fsdp() ? u.fullGradients : u.gradients}};
    for (const auto &[name, buffer] : u.written) {
        if (std::find(uses.begin(), uses.end(), Use{.buffer = buffer}) == uses.end()) // tied weights have two names
            uses.push_back({.buffer = buffer});
    }
    return uses;
}

Bytes SimulatedUnits::residentBytes(const Unit &u) const
{
    Bytes bytes = 0;
    for (const Use &use : residentGradients(u))
        bytes += m_b.plan.at(use.buffer).bytes;
    return bytes;
}

// Assigns the largest tensors first, each to the rank that has least (zero_redundancy_optimizer.py,
// _partition_parameters).
double SimulatedUnits::largestStateFraction() const
{
    std::vector<std::int64_t> sizes;
    const auto add = [&](const std::vector<UnitTensor> &tensors, std::int64_t elements, int vectors, int times) {
        for (const auto &[tensor, count] : tensors) {
            sizes.insert(sizes.end(), static_cast<std::size_t>(times), count);
            elements -= count;
        }
        sizes.insert(
            sizes.end(), static_cast<std::size_t>(times) * static_cast<std::size_t>(vectors), elements / vectors);
    };
    add(m_tensors.rootTensors(), m_tensors.rootElements(), 1, 1);
    add(m_tensors.layerTensors(), m_tensors.layerElements(), m_tensors.layerVectors(), m_b.plan.layers);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ranks(
        std::greater<>(), std::vector<std::int64_t>(static_cast<std::size_t>(dataRanks()), 0));
    std::int64_t largest = 0, all = 0;
    for (const std::int64_t size : sizes) {
        const std::int64_t has = ranks.top() + size;
        ranks.pop();
        ranks.push(has);
        largest = std::max(largest, has);
        all += size;
    }
    return double(largest) / double(all);
}

std::int64_t SimulatedUnits::stateElements(std::int64_t elements, const WeightSharding &sharding) const
{
    if (runsZeroOptimizer() && sharding.ranks == m_dense.ranks)
        return static_cast<std::int64_t>(std::ceil(double(elements) * m_stateFraction));
    if (m_p.kind != ParallelKind::Zero1)
        return ceilDiv(elements, sharding.shards);
    return ceilDiv(elements, std::min(sharding.ranks, m_c.simulated.stateShards.value_or(sharding.ranks)));
}

BufferId SimulatedUnits::add(
    const Unit &u, const std::string &what, std::int64_t elements, DType type, Role role, Scope scope)
{
    return m_b.buffer({.name = u.name + "." + what,
        .bytes = elements * sizeOf(type),
        .type = type,
        .role = role,
        .scope = scope,
        .perLayer = u.perLayer});
}

Unit SimulatedUnits::addUnit(const std::string &name, std::int64_t elements, bool perLayer,
    const WeightSharding &sharding, const std::vector<UnitTensor> &tensors)
{
    const std::int64_t adapters = m_r.freezesWeights() && perLayer ? m_tensors.adapterElements() : 0;
    Unit u{.name = name,
        .elements = elements + adapters,
        .trained = m_r.freezesWeights() ? adapters : elements,
        .tensors = static_cast<int>(std::max<std::size_t>(1, tensors.size())),
        .perLayer = perLayer,
        .sharding = sharding};
    addWeights(u, elements);
    addMoments(u);
    addGradients(u, tensors);
    addDenominators(u, tensors);
    if (fsdp()) {
        addGathered(u);
        addReduced(u, unnamedElements(u, tensors));
        addAccumulated(u);
    }
    return u;
}

// `elements` does not include adapters.
void SimulatedUnits::addWeights(Unit &u, std::int64_t elements)
{
    const std::int64_t resident = m_c.hostOffload == HostOffload::Weights && fsdp() ? 1 // fetched with each gather
                                  : keepsWeightsWhole()                             ? elements
                                                        : ceilDiv(elements, u.sharding.shards);
    u.weights = m_r.freezesWeights() ? frozenWeights(u, resident)
                                     : add(u, "weights", resident, m_r.weight, Role::Parameter, Scope::Run);
    u.masters = m_r.masters && !updatesOnHost() ? add(u, "masters", stateElements(trainedOrOne(u), u.sharding),
                                                      DType::Fp32, Role::MasterWeight, Scope::Run)
                                                : u.weights;
}

// The matrices of layers may be quantized. NF4's blocks of 64 have a scale of 8 bits, and these scales have scales
// themselves (QLoRA, Dettmers et al. 2023, arXiv 2305.14314, section 3). LLM.int8 has a scale per row.
Bytes SimulatedUnits::frozenBytes(const Unit &u, std::int64_t elements) const
{
    if (u.perLayer && m_r.frozen == FrozenWeights::Int8)
        return elements;
    if (u.perLayer && m_r.frozen == FrozenWeights::Nf4)
        return elements / 2 + ceilDiv(elements, 63);
    return elements * sizeOf(m_r.weight);
}

BufferId SimulatedUnits::frozenWeights(const Unit &u, std::int64_t resident)
{
    const std::int64_t adapters = u.perLayer ? u.trained : 0;
    return m_b.buffer({.name = u.name + ".weights",
        .bytes = frozenBytes(u, resident) + ceilDiv(adapters, u.sharding.shards) * sizeOf(m_r.adapter),
        .type = m_r.weight,
        .role = Role::Parameter,
        .scope = Scope::Run,
        .perLayer = u.perLayer});
}

Bytes SimulatedUnits::shardBytes(const Unit &u) const
{
    const std::int64_t adapters = m_r.freezesWeights() ? u.trained : 0;
    return frozenBytes(u, ceilDiv(u.elements - adapters, u.sharding.shards));
}

void SimulatedUnits::addMoments(Unit &u)
{
    const Moments moments = momentsOf(u);
    const auto state = [&](const std::string &what, Bytes bytes) {
        return m_b.buffer({.name = u.name + "." + what,
            .bytes = bytes,
            .type = momentType(),
            .role = Role::OptimizerState,
            .scope = Scope::Run,
            .perLayer = u.perLayer});
    };
    u.momentum = moments.first > 0 ? state("momentum", moments.first) : u.masters;
    u.variance = moments.second > 0 ? state("variance", moments.second) : u.masters;
}

DType SimulatedUnits::momentType() const
{
    if (m_r.freezesWeights())
        return m_r.adapter;
    return m_r.masters || m_r.weight == DType::Fp32 ? DType::Fp32 : m_r.weight;
}

// Paged states are in host memory.
SimulatedUnits::Moments SimulatedUnits::momentsOf(const Unit &u) const
{
    return updatesOnHost() || m_c.pagesOptimizerStates() ? Moments{} : momentsAnywhere(u);
}

Bytes SimulatedUnits::momentBytes(const Unit &u) const
{
    const Moments moments = momentsAnywhere(u);
    return moments.first + moments.second;
}

// bitsandbytes: one byte per element, and one scale per 256 elements. Embeddings stay in fp32. Adafactor's second
// moment is one row and one column per matrix, whose size we neglect.
SimulatedUnits::Moments SimulatedUnits::momentsAnywhere(const Unit &u) const
{
    if (u.trained == 0 || m_c.optimizer == OptimizerKind::Sgd || m_c.optimizer == OptimizerKind::Adafactor)
        return {};
    const std::int64_t own = stateElements(u.trained, u.sharding);
    Moments moments{.first = own * sizeOf(momentType()), .second = own * sizeOf(momentType())};
    if (m_c.optimizer == OptimizerKind::AdamW8bit) {
        const std::int64_t wide = u.name == (splitsEnds() ? "embedding" : "root") && !m_r.freezesWeights()
                                      ? stateElements(m_tensors.embeddingElements(), u.sharding)
                                      : 0;
        moments.first = moments.second = (own - wide) * 65 / 64 + wide * sizeOf(DType::Fp32);
    }
    if (m_c.optimizer == OptimizerKind::Lion)
        moments.second = 0;
    return moments;
}

// Whether backward writes the gradients of named tensors into separate buffers.
bool SimulatedUnits::hasSeparateGradients() const { return (fsdp() || !keepsGradients()) && !m_r.freezesWeights(); }

// The number of elements whose gradients share one buffer, because their tensors have no separate ones.
std::int64_t SimulatedUnits::unnamedElements(const Unit &u, const std::vector<UnitTensor> &tensors) const
{
    std::int64_t elements = trainedOrOne(u);
    for (const auto &[tensor, count] : hasSeparateGradients() ? tensors : std::vector<UnitTensor>{})
        elements -= count;
    return elements;
}

// Each gradient is allocated when its GEMM's backward runs, unless gradients are views of an existing buffer.
void SimulatedUnits::addGradients(Unit &u, const std::vector<UnitTensor> &tensors)
{
    const Scope scope = passesGradients() ? Scope::MicroBatch : zeroesLate() && !fsdp() ? Scope::Run : Scope::Step;
    for (const auto &[tensor, count] : hasSeparateGradients() ? tensors : std::vector<UnitTensor>{})
        u.written.emplace_back(
            tensor, add(u, tensor + ".gradient", count, writtenGradientType(), Role::Gradient, scope));
    if (fsdp() && m_c.simulated.sharder == Sharder::Gemini && m_c.gradAccum == 1)
        u.gradients =
            u.weights; // a chunk's gradients replace its 16-bit weights (ColossalAI, gemini_ddp.py, reuse_fp16_chunk)
    else
        u.gradients = add(u, "gradients",
            fsdp() ? ceilDiv(trainedOrOne(u), u.sharding.shards) : unnamedElements(u, tensors), m_r.gradient,
            Role::Gradient, keepsGradients() || zeroesLate() || runsZero3() ? Scope::Run : Scope::Step);
}

void SimulatedUnits::addDenominators(Unit &u, const std::vector<UnitTensor> &tensors)
{
    if (updatesOnHost())
        return;
    if (m_c.optimizer == OptimizerKind::AdamWForeach)
        u.denominators = add(u, "denominators",
            (m_c.simulated.torchChanges.addsInPlace ? 1 : 2) * stateElements(trainedOrOne(u), u.sharding), momentType(),
            Role::Workspace, Scope::Step);
    // A root, the quotient, and that of the last tensor, which the loop variable holds (torch/optim/adamw.py).
    if (m_r.usesForLoopOptimizer)
        u.denominators = add(u, "denominators", (u.perLayer ? 3 : 2) * largestTensor(u, tensors), momentType(),
            Role::Workspace, Scope::Step);
}

std::int64_t SimulatedUnits::largestTensor(const Unit &u, const std::vector<UnitTensor> &tensors) const
{
    const bool whole = isFlat() && !m_c.simulated.torchChanges.namesOriginals;
    std::int64_t largest = whole || tensors.empty() ? u.elements : 0;
    for (const auto &[tensor, count] : tensors)
        largest = std::max(largest, count);
    return isFlat() ? std::min(largest, ceilDiv(u.elements, u.sharding.shards)) : ceilDiv(largest, u.sharding.shards);
}

// The whole weights that FSDP gathers.
void SimulatedUnits::addGathered(Unit &u)
{
    u.gathered = keepsWeightsWhole() ? u.weights
                                     : add(u, "gathered", u.elements, m_r.gathered, Role::Communication,
                                           !keepsUnsharded()                   ? Scope::MicroBatch
                                           : m_r.copiesGathered || isOneUnit() ? Scope::Step
                                                                               : Scope::Run);
    if (m_r.copiesGathered)
        u.gatherOutput = add(u, "gather_output", u.elements, m_r.gathered, Role::Communication,
            keepsUnsharded() ? Scope::Step : Scope::MicroBatch);
    if (m_r.copiesGathered && u.perLayer)
        u.previousOutput = add(u, "held_output", u.elements, m_r.gathered, Role::Communication, Scope::MicroBatch);
}

// The whole gradients with FSDP, and the reduced ones. `unnamed` is unnamedElements().
void SimulatedUnits::addReduced(Unit &u, std::int64_t unnamed)
{
    const bool passing = passesGradients();
    u.fullGradients = add(
        u, "full_gradients", unnamed, writtenGradientType(), Role::Gradient, passing ? Scope::MicroBatch : Scope::Step);
    u.reduceInput = add(u, "reduce_input", trainedOrOne(u), m_r.reduced, Role::Communication, Scope::MicroBatch);
    if (m_r.copiesGathered)
        u.reduceOutput = add(u, "reduce_output", ceilDiv(trainedOrOne(u), u.sharding.shards), m_r.reduced,
            Role::Communication, Scope::MicroBatch);
    if (isFlat() && m_r.reduced != m_r.compute)
        u.flatGradient = add(u, "flat_gradient", trainedOrOne(u), m_r.compute, Role::Gradient, Scope::MicroBatch);
}

void SimulatedUnits::addAccumulated(Unit &u)
{
    if (!accumulatesWhole())
        return;
    const auto accumulated = [&](std::int64_t elements, DType type) {
        return add(u, "accumulated", elements, type, Role::Gradient, Scope::Step);
    };
    if (isFlat()) {
        u.accumulated.push_back(accumulated(trainedOrOne(u), m_r.compute));
        return;
    }
    for (const Use &use : writtenGradients(u))
        u.accumulated.push_back(accumulated(m_b.plan.at(use.buffer).bytes / sizeOf(m_r.compute), m_r.reduced));
}

// PyTorch allocates weights, gradients and states tensor by tensor, unless they are flat: Megatron-LM's buffers,
// FSDP1's units.
void SimulatedUnits::listTensors(const Unit &u, const std::vector<UnitTensor> &tensors)
{
    if (m_c.framework == Framework::Megatron || isFlat() || m_r.freezesWeights())
        return;
    ParameterUnit unit{.name = u.name,
        .elements = u.elements,
        .parameter = u.weights,
        .gradient = u.written.empty() ? u.gradients : u.weights,
        .master = u.masters,
        .momentum = u.momentum,
        .variance = u.variance,
        .perLayer = u.perLayer};
    if (fsdp()) {
        unit.gradient = u.gradients;
        unit.gathered = u.gathered;
    }
    if (runsZeroOptimizer() || updatesOnHost()) // a rank has whole tensors of some layers, not a shard of each
        unit.momentum = unit.variance = u.weights;
    plan().units.push_back(unit);
    std::int64_t offset = 0;
    const auto add = [&](std::int64_t elements) {
        plan().tensors.push_back({.name = unit.name + std::to_string(plan().tensors.size()),
            .parameter = u.weights,
            .offset = offset,
            .rows = elements,
            .columns = 1});
        offset += elements;
    };
    for (const auto &[tensor, elements] : tensors)
        add(elements);
    if (u.elements > offset)
        add(u.elements - offset);
}

void SimulatedUnits::addUnits()
{
    if (runsZeroOptimizer())
        m_stateFraction = largestStateFraction();
    m_root = addUnit("root", m_tensors.rootElements(), false, m_dense, m_tensors.rootTensors());
    ++m_root.tensors;                             // the last norm's weight
    if (m_m.head.tied && !m_root.written.empty()) // the LM head's weight is the table
        m_root.written.emplace_back("head", m_root.written.front().second);
    if (splitsEnds()) {
        m_embedding = addUnit("embedding", m_tensors.embeddingElements(), false, m_dense);
        listTensors(m_embedding, {});
    }
    m_layer = addUnit("layer", m_tensors.layerElements(), true, m_dense, m_tensors.layerTensors());
    m_layer.tensors += m_tensors.layerVectors();
    listTensors(m_root, m_tensors.rootTensors());
    listTensors(m_layer, m_tensors.layerTensors());
    if (m_m.experts.count > 0)
        m_experts = addUnit("experts", m_e.elements, true, m_sparse);
    if (runsDdp() && !bucketViews()) { // flat buckets hold a second copy of every gradient
        m_b.buffer({.name = "ddp.buckets",
            .bytes = trainedElements() * sizeOf(m_r.gradient),
            .type = m_r.gradient,
            .role = Role::Communication,
            .scope = Scope::Run});
    }
}

} // namespace slipway
