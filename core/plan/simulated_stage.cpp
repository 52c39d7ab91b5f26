// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_stage.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "config/pipeline_layers.h"
#include "plan/data_parallel.h"
#include "plan/pipeline_schedule.h"

namespace slipway {

namespace {

// DeepSpeed 0.13 (2024-01) reduces whole buckets where it reduced each part to its rank before; PyTorch's version
// stands for its age.
constexpr int kTorchOfFlatBuckets = 202;

} // namespace

SimulatedStage::SimulatedStage(const RunConfig &config, const ModelSpec &model, int stage)
    : m_c(config),
      m_m(model),
      m_r(frameworkRecipe(config, model)),
      m_p(config.parallel),
      m_stage(stage)
{
    m_b.plan.layers = layersOfStage(m_p, model.layers, stage);
    m_b.plan.layerNumbers = layersHeld(m_p, model.layers, stage);
    m_b.plan.gradAccum = config.gradAccum;
    m_b.plan.microBatchesInFlight =
        static_cast<int>(std::min<std::int64_t>(microBatchesHeld(m_p, stage), config.gradAccum));
    addGroups();
    m_s = sizes();
    if (model.experts.count > 0)
        m_e = expertSizes(config, model, plan().groups, m_s.tokens);
    addUnits();
    addGradientCopies();
    addStream();
}

bool SimulatedStage::fsdp() const { return runsFsdp(m_p.kind) && dataRanks() > 1; }

std::vector<const Unit *> SimulatedStage::units() const
{
    std::vector<const Unit *> list = layerUnits();
    list.insert(list.begin(), &m_root);
    if (splitsEnds())
        list.insert(list.begin(), &m_embedding);
    return list;
}

void SimulatedStage::addGroups()
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
    if (m_m.experts.count == 0)
        return;
    // Expert-parallel ranks lie next to each other, their copies behind (Megatron-LM's order tp-ep-dp-pp).
    group("ep", m_p.ep, m_p.tp);
    m_sparse = spread("edp", dataRanks() / m_p.ep, std::max(1, m_p.shardRanks() / m_p.ep), m_p.tp * m_p.ep);
}

SimulatedSizes SimulatedStage::sizes() const
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
    // Megatron-LM fills the table up: --make-vocab-size-divisible-by.
    s.vocab = m_c.framework == Framework::Megatron ? roundUp(m_m.vocab, m_c.vocabMultiple * m_p.tp) / m_p.tp
                                                   : ceilDiv(m_m.vocab, m_p.tp);
    s.tp = m_p.tp;
    s.cp = m_p.cp;
    return s;
}

// Experts are a unit of their own.
std::int64_t SimulatedStage::layerElements() const
{
    return m_m.experts.count > 0
               ? ceilDiv(blockParameterCount(m_m) - expertParameterCount(m_m) - routerParameterCount(m_m), m_p.tp) +
                     routerParameterCount(m_m)
               : ceilDiv(blockParameterCount(m_m), m_p.tp);
}

std::int64_t SimulatedStage::embeddingElements() const
{
    return first() ? (m_s.vocab + m_m.embedding.positions) * m_s.hidden : 0;
}

std::int64_t SimulatedStage::rootElements() const
{
    const std::int64_t table = m_s.vocab * m_s.hidden;
    std::int64_t elements = 2 * m_s.hidden;
    if (!splitsEnds())
        elements += embeddingElements();
    if (last() && !(m_m.head.tied && first()))
        elements += table;
    return elements;
}

std::vector<Use> SimulatedStage::writtenGradients(const Unit &u) const
{
    std::vector<Use> uses{{.buffer = fsdp() ? u.fullGradients : u.gradients}};
    for (const auto &[name, buffer] : u.written) {
        if (std::find(uses.begin(), uses.end(), Use{.buffer = buffer}) == uses.end()) // tied weights have two names
            uses.push_back({.buffer = buffer});
    }
    return uses;
}

Bytes SimulatedStage::residentBytes(const Unit &u) const
{
    Bytes bytes = 0;
    for (const Use &use : residentGradients(u))
        bytes += m_b.plan.at(use.buffer).bytes;
    return bytes;
}

// Largest tensors first, each to the rank that has least (zero_redundancy_optimizer.py, _partition_parameters).
double SimulatedStage::largestPart() const
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
    add(rootTensors(), rootElements(), 1, 1);
    add(layerTensors(), layerElements(), layerVectors(), m_b.plan.layers);
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

std::int64_t SimulatedStage::stateElements(std::int64_t elements, const Spread &spread) const
{
    if (runsZeroOptimizer() && spread.ranks == m_dense.ranks)
        return static_cast<std::int64_t>(std::ceil(double(elements) * m_ownStates));
    if (m_p.kind != ParallelKind::Zero1)
        return ceilDiv(elements, spread.shards);
    return ceilDiv(elements, std::min(spread.ranks, m_c.stateShards.value_or(spread.ranks)));
}

// Of the matrices that an adapter puts beside a layer's: rank x (rows + columns) each.
std::int64_t SimulatedStage::adapterElements() const
{
    const std::int64_t h = m_s.hidden, q = m_s.qWidth(), kv = m_s.kvWidth(), f = m_s.ffn;
    const bool gated = m_m.mlp.gated;
    std::int64_t sides = 0;
    const auto add = [&](std::string_view gemm, std::int64_t out, std::int64_t in) {
        sides += m_r.adapts(gemm) ? out + in : 0;
    };
    if (m_r.fusedQkv) {
        add("qkv", q + 2 * kv, h);
    } else {
        add("q", q, h);
        add("k", kv, h);
        add("v", kv, h);
    }
    add("o", h, q);
    if (gated)
        add("gate", f, h);
    add("up", f, h);
    add("down", h, f);
    return m_r.loraRank * sides;
}

// The matrices of layers may be quantized: NF4's blocks of 64 have a scale of 8 bits, which has scales itself (QLoRA,
// Dettmers et al. 2023, arXiv 2305.14314, section 3); LLM.int8 has a scale for each row.
BufferId SimulatedStage::frozenWeights(const std::string &name, const Unit &u, std::int64_t resident)
{
    const std::int64_t adapters = u.perLayer ? u.trained : 0;
    const Bytes whole = resident * sizeOf(m_r.weight),
                frozen = !u.perLayer || m_r.frozen == FrozenWeights::Whole ? whole
                         : m_r.frozen == FrozenWeights::Int8               ? resident
                                                                           : resident / 2 + ceilDiv(resident, 63);
    return m_b.buffer({.name = name + ".weights",
        .bytes = frozen + ceilDiv(adapters, u.spread.shards) * sizeOf(m_r.adapter),
        .type = m_r.weight,
        .role = Role::Parameter,
        .scope = Scope::Run,
        .perLayer = u.perLayer});
}

// bitsandbytes: a byte an element and a scale for each 256; embeddings stay in fp32. Paged states lie in the host's
// memory. Adafactor's second moment is a row and a column of each matrix, which we count as nothing beside it.
SimulatedStage::Moments SimulatedStage::momentsOf(
    const std::string &name, std::int64_t trained, const Spread &spread, DType type) const
{
    if (trained == 0 || updatesOnHost() || m_c.pagesStates() || m_c.optimizer == OptimizerKind::Sgd ||
        m_c.optimizer == OptimizerKind::Adafactor)
        return {};
    const std::int64_t own = stateElements(trained, spread);
    Moments moments{.first = own * sizeOf(type), .second = own * sizeOf(type)};
    if (m_c.optimizer == OptimizerKind::AdamW8bit) {
        const std::int64_t wide = name == (splitsEnds() ? "embedding" : "root") && !m_r.freezes()
                                      ? stateElements(embeddingElements(), spread)
                                      : 0;
        moments.first = moments.second = (own - wide) * 65 / 64 + wide * sizeOf(DType::Fp32);
    }
    if (m_c.optimizer == OptimizerKind::Lion)
        moments.second = 0;
    return moments;
}

Unit SimulatedStage::addUnit(const std::string &name, std::int64_t elements, bool perLayer, const Spread &spread,
    const std::vector<UnitTensor> &tensors)
{
    const std::int64_t adapters = m_r.freezes() && perLayer ? adapterElements() : 0,
                       trained = m_r.freezes() ? adapters : elements;
    Unit u{.elements = elements + adapters,
        .trained = trained,
        .tensors = static_cast<int>(std::max<std::size_t>(1, tensors.size())),
        .perLayer = perLayer,
        .spread = spread};
    const int shards = spread.shards;
    const auto add = [&](const std::string &what, std::int64_t n, DType type, Role role, Scope scope) {
        return m_b.buffer({.name = name + "." + what,
            .bytes = n * sizeOf(type),
            .type = type,
            .role = role,
            .scope = scope,
            .perLayer = perLayer});
    };
    // A unit whose weights are all frozen has buffers of one element.
    const std::int64_t whole = std::max<std::int64_t>(1, trained), own = ceilDiv(whole, shards),
                       ownState = stateElements(whole, spread);
    const std::int64_t resident = m_c.hostOffload == HostOffload::Weights && fsdp() ? 1 // fetched with each gather
                                  : keepsWeightsWhole()                             ? elements
                                                                                    : ceilDiv(elements, shards);
    u.weights = m_r.freezes() ? frozenWeights(name, u, resident)
                              : add("weights", resident, m_r.weight, Role::Parameter, Scope::Run);
    u.masters =
        m_r.masters && !updatesOnHost() ? add("masters", ownState, DType::Fp32, Role::Master, Scope::Run) : u.weights;
    const DType moment = m_r.freezes()                              ? m_r.adapter
                         : m_r.masters || m_r.weight == DType::Fp32 ? DType::Fp32
                                                                    : m_r.weight;
    const Moments moments = momentsOf(name, trained, spread, moment);
    const auto state = [&](const std::string &what, Bytes bytes) {
        return m_b.buffer({.name = name + "." + what,
            .bytes = bytes,
            .type = moment,
            .role = Role::OptimizerState,
            .scope = Scope::Run,
            .perLayer = perLayer});
    };
    u.momentum = moments.first > 0 ? state("momentum", moments.first) : u.masters;
    u.variance = moments.second > 0 ? state("variance", moments.second) : u.masters;
    // Each gradient appears when its GEMM's backward runs, but where they are views of a buffer that is there
    // before.
    std::int64_t rest = whole;
    const bool apart = (fsdp() || !keepsGradients()) && !m_r.freezes(), passing = passesGradients();
    for (const auto &[tensor, count] : apart ? tensors : std::vector<UnitTensor>{}) {
        u.written.emplace_back(tensor, add(tensor + ".gradient", count, passing ? m_r.compute : m_r.gradient,
                                           Role::Gradient, passing ? Scope::MicroBatch : Scope::Step));
        rest -= count;
    }
    if (fsdp() && m_c.sharder == Sharder::Gemini && m_c.gradAccum == 1)
        u.gradients =
            u.weights; // a chunk's gradients take its half weights' place (ColossalAI, gemini_ddp.py, reuse_fp16_chunk)
    else
        u.gradients = add("gradients", fsdp() ? own : rest, m_r.gradient, Role::Gradient,
            keepsGradients() || runsZero3() ? Scope::Run : Scope::Step);
    // Before 2.1 the sum with epsilon is a tensor of its own as well (torch/optim/adamw.py, _multi_tensor_adamw).
    constexpr int kTorchThatAddsInPlace = 201;
    if (m_c.optimizer == OptimizerKind::AdamWForeach && !updatesOnHost())
        u.denominators = add("denominators", (m_c.torchVersion() < kTorchThatAddsInPlace ? 2 : 1) * ownState, moment,
            Role::Workspace, Scope::Step);
    if (m_r.loopsOverTensors && !updatesOnHost()) // a root, what it is divided to, and the last tensor's, which the
                                                  // loop's variable holds (torch/optim/adamw.py)
        u.denominators =
            add("denominators", (perLayer ? 3 : 2) * largestTensor(u, tensors), moment, Role::Workspace, Scope::Step);
    if (fsdp()) {
        u.gathered = keepsWeightsWhole() ? u.weights
                                         : add("gathered", u.elements, m_r.gathered, Role::Communication,
                                               !holdsWhole()                       ? Scope::MicroBatch
                                               : m_r.copiesGathered || isOneUnit() ? Scope::Step
                                                                                   : Scope::Run);
        if (m_r.copiesGathered)
            u.gatherOutput = add("gather_output", u.elements, m_r.gathered, Role::Communication,
                holdsWhole() ? Scope::Step : Scope::MicroBatch);
        if (m_r.copiesGathered && perLayer)
            u.heldOutput = add("held_output", u.elements, m_r.gathered, Role::Communication, Scope::MicroBatch);
        u.fullGradients = add("full_gradients", rest, passing ? m_r.compute : m_r.gradient, Role::Gradient,
            passing ? Scope::MicroBatch : Scope::Step);
        u.reduceInput = add("reduce_input", whole, m_r.reduced, Role::Communication, Scope::MicroBatch);
        if (m_r.copiesGathered)
            u.reduceOutput = add("reduce_output", own, m_r.reduced, Role::Communication, Scope::MicroBatch);
        if (isFlat() && m_r.reduced != m_r.compute)
            u.flatGradient = add("flat_gradient", whole, m_r.compute, Role::Gradient, Scope::MicroBatch);
        addAccumulated(u, name);
    }
    return u;
}

std::int64_t SimulatedStage::largestTensor(const Unit &u, const std::vector<UnitTensor> &tensors) const
{
    constexpr int kTorchWithOriginalTensors = 200; // use_orig_params: views of the flat shard
    const bool whole = isFlat() && m_c.torchVersion() < kTorchWithOriginalTensors;
    std::int64_t largest = whole || tensors.empty() ? u.elements : 0;
    for (const auto &[tensor, count] : tensors)
        largest = std::max(largest, count);
    return isFlat() ? std::min(largest, ceilDiv(u.elements, u.spread.shards)) : ceilDiv(largest, u.spread.shards);
}

void SimulatedStage::addAccumulated(Unit &u, const std::string &name)
{
    if (!accumulatesWhole())
        return;
    const auto add = [&](std::int64_t elements, DType type) {
        return m_b.buffer({.name = name + ".accumulated",
            .bytes = elements * sizeOf(type),
            .type = type,
            .role = Role::Gradient,
            .scope = Scope::Step,
            .perLayer = u.perLayer});
    };
    if (isFlat()) {
        u.accumulated.push_back(add(std::max<std::int64_t>(1, u.trained), m_r.compute));
        return;
    }
    for (const Use &use : writtenGradients(u))
        u.accumulated.push_back(add(m_b.plan.at(use.buffer).bytes / sizeOf(m_r.compute), m_r.reduced));
}

// The tensors that a unit consists of; norms and biases are left to the rest.
std::vector<UnitTensor> SimulatedStage::layerTensors() const
{
    const std::int64_t h = m_s.hidden, q = m_s.qWidth(), kv = m_s.kvWidth();
    std::vector<UnitTensor> list;
    if (m_r.fusedQkv)
        list = {{"qkv", (q + 2 * kv) * h}};
    else
        list = {{"q", q * h}, {"k", kv * h}, {"v", kv * h}};
    list.emplace_back("o", h * q);
    if (m_m.experts.count > 0)
        return list;
    const bool gated = m_m.mlp.gated;
    if (gated && m_r.fusedGateUp)
        list.emplace_back("gate_up", 2 * h * m_s.ffn);
    if (gated && !m_r.fusedGateUp)
        list.emplace_back("gate", h * m_s.ffn);
    if (!gated || !m_r.fusedGateUp)
        list.emplace_back("up", h * m_s.ffn);
    list.emplace_back("down", h * m_s.ffn);
    return list;
}

// Norms' weights, and biases.
int SimulatedStage::layerVectors() const
{
    const int norms = 2 + (m_m.attention.qkNorm == QkNorm::None ? 0 : 2);
    return norms * (m_m.norm.bias ? 2 : 1) + (m_m.attention.qkvBias ? m_r.fusedQkv ? 1 : 3 : 0) +
           (m_m.attention.outBias ? 1 : 0) + (m_m.mlp.bias ? 2 : 0);
}

std::vector<UnitTensor> SimulatedStage::rootTensors() const
{
    const bool shares = m_m.head.tied && first() && last();
    std::vector<UnitTensor> list;
    if (first() && !splitsEnds())
        list.emplace_back("embedding", m_s.vocab * m_s.hidden);
    if (last() && !shares)
        list.emplace_back("head", m_s.vocab * m_s.hidden);
    return list;
}

// PyTorch allocates weights, gradients and states tensor by tensor, unless they lie flat: Megatron-LM's buffers,
// FSDP1's units.
void SimulatedStage::listTensors(const Unit &u, std::string name, const std::vector<UnitTensor> &tensors)
{
    if (m_c.framework == Framework::Megatron || isFlat() || m_r.freezes())
        return;
    ParameterUnit unit{.name = std::move(name),
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
    if (runsZeroOptimizer() || updatesOnHost()) // whole tensors of some layers, no part of each
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

void SimulatedStage::addUnits()
{
    if (runsZeroOptimizer())
        m_ownStates = largestPart();
    m_root = addUnit("root", rootElements(), false, m_dense, rootTensors());
    ++m_root.tensors;                             // the last norm's weight
    if (m_m.head.tied && !m_root.written.empty()) // the head's is the table's
        m_root.written.emplace_back("head", m_root.written.front().second);
    if (splitsEnds()) {
        m_embedding = addUnit("embedding", embeddingElements(), false, m_dense);
        listTensors(m_embedding, "embedding", {});
    }
    m_layer = addUnit("layer", layerElements(), true, m_dense, layerTensors());
    m_layer.tensors += layerVectors();
    listTensors(m_root, "root", rootTensors());
    listTensors(m_layer, "layer", layerTensors());
    if (m_m.experts.count > 0)
        m_experts = addUnit("experts", m_e.elements, true, m_sparse);
    if (runsDdp() && !bucketViews()) { // flat buckets hold every gradient once more
        m_b.buffer({.name = "ddp.buckets",
            .bytes = trainedElements() * sizeOf(m_r.gradient),
            .type = m_r.gradient,
            .role = Role::Communication,
            .scope = Scope::Run});
    }
}

// DeepSpeed's ZeRO gathers half gradients into a bucket (reduce_bucket_size), which is as large for small models, too.
// Its first stage of 2021 then flattens all of them, before it takes this rank's part in fp32 (0.4.2, zero/stage1.py,
// flatten_dense_tensors_sub_partition_aligned). The third stage gathers 5e7 elements more with each GEMM, whether
// those before came or not, until 1e9 are there (stage3_prefetch_bucket_size, stage3_max_live_parameters; 0.7.2 and
// 0.19.8, partitioned_param_coordinator.py, fetch_sub_module): that many stay from the first layers to the last
// backward.
void SimulatedStage::addGradientCopies()
{
    constexpr std::int64_t kLive = 1'000'000'000;
    // Megatron-LM's own optimizer of half gradients copies them to fp32 when it steps (optimizer.py,
    // _copy_model_grads_to_main_grads).
    if (m_c.framework == Framework::Megatron && m_r.masters && !m_r.flattensGradients && m_r.gradient == DType::Bf16 &&
        m_c.lossPath != LossPath::InPlace)
        m_ownGradients = m_b.buffer({.name = "main_gradients",
            .bytes = ceilDiv(stageElements(), m_p.kind == ParallelKind::Zero1 ? dataRanks() : 1) * sizeOf(DType::Fp32),
            .type = DType::Fp32,
            .role = Role::Gradient,
            .scope = Scope::Step});
    if (m_r.accumulatesApart) { // the last backward's, which the next one lets go of
        m_b.buffer({.name = "half_gradients",
            .bytes = stageElements() * sizeOf(m_r.compute),
            .type = m_r.compute,
            .role = Role::Gradient,
            .scope = Scope::Run});
        return;
    }
    if (fsdp() && !m_r.copiesGathered && m_c.sharder != Sharder::DeepSpeed && m_c.limitGathers == false) {
        // Nothing holds the host back: it asks for the weights of all layers while the first one runs.
        const std::int64_t ahead = stageElements() - m_root.elements - 2 * m_layer.elements;
        if (ahead > 0 && !holdsWhole())
            m_fetchedAhead = m_b.buffer({.name = "gathered_ahead",
                .bytes = ahead * sizeOf(m_r.gathered),
                .type = m_r.gathered,
                .role = Role::Communication,
                .scope = Scope::MicroBatch});
        return;
    }
    const bool shards = m_c.sharder == Sharder::DeepSpeed && dataRanks() > 1;
    if (!shards && !m_r.flattensGradients) // whose optimizer goes the same way where it has one rank
        return;
    const auto add = [&](const std::string &name, std::int64_t elements, DType type, Scope scope) {
        return m_b.buffer({.name = "zero." + name,
            .bytes = elements * sizeOf(type),
            .type = type,
            .role = Role::Communication,
            .scope = scope});
    };
    if (m_r.flattensGradients && !m_r.pipelineEngine)
        add("bucket", std::min<std::int64_t>(m_c.reduceBucket, 512 * kMiB / 2), m_r.compute, Scope::Run);
    else if (m_r.pipelineEngine || runsZero3() || !last())
        add("bucket", m_r.pipelineEngine ? std::min(m_c.reduceBucket, stageElements()) : m_c.reduceBucket, m_r.compute,
            Scope::Run);
    else // made for each backward, by its first gradient
        m_bucket = add("bucket", (m_c.overlapReduce.value_or(false) ? 2 : 1) * m_c.reduceBucket, m_r.compute,
            Scope::MicroBatch); // one is filled while the other is summed (overlap_comm; 0.19.8, stage_1_and_2.py)
    if (keepsWeightsWhole() &&
        m_c.torchVersion() >=
            kTorchOfFlatBuckets) // use_multi_rank_bucket_allreduce: others' parts of a bucket are flattened
        m_flattened = add("flattened", std::min(m_c.reduceBucket, trainedElements()) * (dataRanks() - 1) / dataRanks(),
            m_r.compute, Scope::MicroBatch);
    const std::int64_t planned = m_root.elements + 2 * m_layer.elements; // gathered as in any plan
    if (const std::int64_t ahead = std::min(kLive, stageElements()) - planned; runsZero3() && ahead > 0)
        m_fetchedAhead = add("fetched_ahead", ahead, m_r.gathered, Scope::MicroBatch);
    // The step flattens this rank's half gradients, and makes them fp32: group by group of 1e9 numbers in the third
    // stage (sub_group_size; 0.19.8, stage3.py, _prepare_fp32_grad_for_sub_group), all at once in the others
    // (stage_1_and_2.py, step).
    constexpr std::int64_t kSubGroup = 1'000'000'000;
    if (shards && m_r.masters && !m_r.flattensGradients && !updatesOnHost()) {
        const std::int64_t own = ceilDiv(trainedElements(), dataRanks()),
                           atOnce = runsZero3() ? std::min(own, kSubGroup) : own;
        m_flatGradients = add("flat_gradients", atOnce, m_r.compute, Scope::Step);
        m_ownGradients = add("own_gradients", atOnce, DType::Fp32, Scope::Step);
    }
    if (m_r.flattensGradients) {
        m_flatGradients = add("flat_gradients", trainedElements(), m_r.compute, Scope::Step);
        m_ownGradients = add("own_gradients", ceilDiv(trainedElements(), dataRanks()), DType::Fp32, Scope::Step);
    }
}

void SimulatedStage::addStream()
{
    const std::int64_t width = m_r.sequenceParallel ? ceilDiv(m_s.hidden, m_s.tp) : m_s.hidden;
    const Bytes bytes = m_s.tokens * width * sizeOf(m_r.residual);
    m_x = m_b.buffer({.name = "x",
        .bytes = bytes,
        .type = m_r.residual,
        .role = Role::Activation,
        .scope = Scope::MicroBatch,
        .perLayer = true});
    m_dx = m_b.buffer({.name = "dx",
        .bytes = bytes,
        .type = m_r.residual,
        .role = Role::Activation,
        .scope = Scope::MicroBatch,
        .perLayer = true});
    if (runsTorchPipeline())
        addPipelineBuffers();
    if (m_c.framework == Framework::Megatron)
        addSharedBuffers(width);
    if (first() && m_r.dropout)
        m_embeddingMask = m_b.buffer({.name = "embedding_mask",
            .bytes = m_s.tokens * width,
            .type = DType::Fp32,
            .role = Role::Activation,
            .scope = Scope::MicroBatch});
    // Transformers writes the causal mask once for all layers.
    if (m_c.framework == Framework::PytorchEager && m_c.attention == Attention::Vanilla &&
        m_m.position == Position::Rope)
        m_b.buffer({.name = "causal_mask",
            .bytes = m_s.batch * m_s.seq * m_s.fullSeq * sizeOf(m_r.residual),
            .type = m_r.residual,
            .role = Role::Workspace,
            .scope = Scope::Run});
    m_loss =
        m_b.buffer({.name = "loss", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
}

void SimulatedStage::addSharedBuffers(std::int64_t streamWidth)
{
    // Megatron-Core 0.3 to 0.12 (parallel_state.py, get_global_memory_buffer): the scores of its own attention, and
    // what its own GEMMs gather, of which the head's is one beside TransformerEngine's layers.
    const Bytes gathered =
        m_r.sequenceParallel && (m_r.sharesBuffer || last()) ? m_s.tokens * m_s.hidden * sizeOf(m_r.compute) : 0;
    const Bytes scores = m_r.sharesBuffer ? m_s.batch * m_s.heads * m_s.seq * m_s.fullSeq * sizeOf(m_r.compute) : 0;
    if (const Bytes bytes = std::max(gathered, scores); bytes > 0)
        m_b.buffer({.name = "global_buffer",
            .bytes = bytes,
            .type = m_r.compute,
            .role = Role::Workspace,
            .scope = Scope::Run});
    if (first() || m_p.virtualStages > 1 || m_r.pipelineEngine)
        return;
    // A stage has the gradient that it sent until the next is there. The output of the micro-batch before, and with it
    // the input that its graph begins with, stays until forward has made another (Megatron-Core 0.12, schedules.py,
    // forward_backward_pipelining_without_interleaving).
    const Bytes message = m_s.tokens * streamWidth * sizeOf(m_r.compute);
    m_b.buffer({.name = "sent_gradient",
        .bytes = message,
        .type = m_r.compute,
        .role = Role::Communication,
        .scope = Scope::Run});
    m_previousInput = m_b.buffer({.name = "previous_input",
        .bytes = message,
        .type = m_r.compute,
        .role = Role::Activation,
        .scope = Scope::MicroBatch});
}

// A stage receives each micro-batch and each gradient into a tensor of its own, which stays from step to step
// (pipelining/stage.py, _prepare_forward_infra and _create_grad_recv_info, PyTorch 2.11); those in flight are part of
// the stream. The gradient that was sent stays until the next is (schedules.py, bwd_sends). What the last stage hands
// out waits for all micro-batches (output_chunks), but where it is not asked for: torchtitan does not since 0.2.1, of
// PyTorch 2.10.
void SimulatedStage::addPipelineBuffers()
{
    constexpr int kTorchThatKeepsNoOutputs = 210;
    const std::int64_t parts = m_p.virtualStages, inputs = m_c.gradAccum * (parts - (first() ? 1 : 0)),
                       gradients = m_c.gradAccum * (parts - (last() ? 1 : 0));
    const std::int64_t waiting = std::max<std::int64_t>(0, inputs - (first() ? 0 : m_b.plan.microBatchesInFlight)) +
                                 gradients + (first() ? 0 : 1);
    const auto add = [&](const char *name, Bytes bytes, Role role) {
        m_b.buffer({.name = name, .bytes = bytes, .type = m_r.compute, .role = role, .scope = Scope::Run});
    };
    m_output = m_b.buffer({.name = "pipeline.output",
        .bytes = m_b.plan.at(m_x).bytes,
        .type = m_r.residual,
        .role = Role::Activation,
        .scope = Scope::MicroBatch});
    add("pipeline.received", waiting * m_b.plan.at(m_x).bytes, Role::Communication);
    if (last() && m_c.torchVersion() < kTorchThatKeepsNoOutputs)
        add("pipeline.outputs", (m_c.gradAccum - 1) * m_s.tokens * m_s.vocab * sizeOf(m_r.compute), Role::Logits);
}

} // namespace slipway
