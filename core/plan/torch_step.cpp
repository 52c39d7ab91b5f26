// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/torch_step.h"

#include <algorithm>

#include "plan/recompute.h"
#include "plan/tape.h"
#include "plan/torch_layer.h"
#include "plan/torch_recipe.h"

namespace slipway {

namespace {

constexpr int kLossChunks = 8; // torchtune's and torchtitan's default

bool isSharded(ParallelKind kind) { return kind == ParallelKind::FsdpFull || kind == ParallelKind::FsdpGradOp || kind == ParallelKind::Hsdp; }

// The weights of one wrapped unit and what exists of them on a rank.
struct Unit {
    std::int64_t elements = 0;
    bool perLayer = false;
    BufferId weights{}, gradients{};                   // resident: whole or this rank's shard
    BufferId masters{}, momentum{}, variance{};
    BufferId gathered{}, fullGradients{}, reduceInput{}; // FSDP only
};

class TorchStepBuilder {
public:
    TorchStepBuilder(const RunConfig &config, const ModelSpec &model, int stage)
        : m_c(config), m_m(model), m_r(torchRecipe(config, model)), m_p(config.parallel), m_stage(stage)
    {
        m_b.plan.layers = layersOf(stage);
        m_b.plan.firstLayer = stage * int(ceilDiv(model.layers, m_p.pp));
        m_b.plan.gradAccum = config.gradAccum;
        m_b.plan.microBatchesInFlight = static_cast<int>(std::min<std::int64_t>(m_p.pp - stage, config.gradAccum));
        addGroups();
        m_s = sizes();
        addUnits();
        addStream();
        recordLayerOps();
        recordHeadOps();
    }

    StepPlan build()
    {
        addMicroBatches();
        addOptimizer();
        return std::move(m_b.plan);
    }

private:
    StepPlan &plan() { return m_b.plan; }
    [[nodiscard]] int layersOf(int stage) const
    {
        const int base = m_m.layers / m_p.pp, rest = m_m.layers % m_p.pp;
        return base + (stage < rest ? 1 : 0);
    }
    [[nodiscard]] bool first() const { return m_stage == 0; }
    [[nodiscard]] bool last() const { return m_stage == m_p.pp - 1; }
    [[nodiscard]] bool fsdp() const { return isSharded(m_p.kind) && dataRanks() > 1; }
    [[nodiscard]] bool reshards() const { return m_p.kind == ParallelKind::FsdpFull || m_p.kind == ParallelKind::Hsdp; }
    // Ranks that hold the same weights: data and context parallel.
    [[nodiscard]] int dataRanks() const { return m_p.dataParallel() * m_p.cp; }
    [[nodiscard]] int shardRanks() const
    {
        if (m_p.kind == ParallelKind::Hsdp)
            return std::min(dataRanks(), std::max(1, m_p.gpusPerNode / (m_p.tp * m_p.pp)));
        return dataRanks();
    }

    void addGroups()
    {
        const auto group = [&](std::string axis, int size, int stride) {
            plan().groups.push_back({.axis = std::move(axis), .size = size, .stride = stride});
            return static_cast<GroupId>(plan().groups.size() - 1);
        };
        m_s.tpGroup = group("tp", m_p.tp, 1);
        m_s.cpGroup = group("cp", m_p.cp, m_p.tp);
        m_dataGroup = group("dp", fsdp() ? shardRanks() : dataRanks(), m_p.tp);
        m_replicaGroup = group("replicas", dataRanks() / std::max(1, shardRanks()), m_p.tp * shardRanks());
        m_pipeGroup = group("pp", m_p.pp, m_p.tp * dataRanks());
    }

    TorchSizes sizes()
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

    [[nodiscard]] std::int64_t layerElements() const { return ceilDiv(blockParameterCount(m_m), m_p.tp); }
    [[nodiscard]] std::int64_t rootElements() const
    {
        const std::int64_t table = m_s.vocab * m_s.hidden;
        std::int64_t elements = 2 * m_s.hidden;
        if (first())
            elements += table + std::int64_t{m_m.maxPositions} * m_s.hidden;
        if (last() && !(m_m.tied && first()))
            elements += table;
        return elements;
    }

    Unit addUnit(const std::string &name, std::int64_t elements, bool perLayer)
    {
        Unit u{.elements = elements, .perLayer = perLayer};
        const int shards = fsdp() ? shardRanks() : 1;
        const int stateShards = m_p.kind == ParallelKind::Zero1 ? dataRanks() : shards;
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

    void addUnits()
    {
        m_root = addUnit("root", rootElements(), false);
        m_layer = addUnit("layer", layerElements(), true);
        if (m_p.kind == ParallelKind::Ddp && m_c.framework != Framework::Megatron && dataRanks() > 1) {
            // gradient_as_bucket_view is off by default: flat buckets hold every gradient once more.
            m_b.buffer({.name = "ddp.buckets", .bytes = (m_root.elements + m_layer.elements * plan().layers) * sizeOf(m_r.gradient), .type = m_r.gradient, .role = Role::Communication, .scope = Scope::Run});
        }
    }

    void addStream()
    {
        const std::int64_t width = m_r.sequenceParallel ? ceilDiv(m_s.hidden, m_s.tp) : m_s.hidden;
        const Bytes bytes = m_s.tokens * width * sizeOf(m_r.residual);
        m_x = m_b.buffer({.name = "x", .bytes = bytes, .type = m_r.residual, .role = Role::Activation, .scope = Scope::MicroBatch, .perLayer = true});
        m_dx = m_b.buffer({.name = "dx", .bytes = bytes, .type = m_r.residual, .role = Role::Activation, .scope = Scope::MicroBatch, .perLayer = true});
        m_loss = m_b.buffer({.name = "loss", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
    }

    [[nodiscard]] TorchWeights weightsOf(const Unit &u) const
    {
        return {{.buffer = fsdp() ? u.gathered : u.weights}, {.buffer = fsdp() ? u.fullGradients : u.gradients}};
    }

    KernelId bytesKernel(double read, double written, CostClass cost = CostClass::Elementwise)
    {
        return m_b.kernel({.kind = OpKind::Elementwise, .type = m_r.compute, .cost = cost, .bytesRead = static_cast<Bytes>(read), .bytesWritten = static_cast<Bytes>(written)});
    }
    KernelId collective(OpKind kind, Bytes bytes, GroupId group) { return m_b.kernel({.kind = kind, .type = m_r.compute, .m = 1, .n = bytes, .messageBytes = bytes, .group = group}); }

    Op gather(const Unit &u, int shift, Phase phase)
    {
        return {.name = "gather", .kernel = collective(OpKind::AllGather, u.elements * sizeOf(m_r.gathered), m_dataGroup), .stream = Stream::Gather, .phase = phase,
                .reads = {{.buffer = u.weights, .layerShift = static_cast<std::int8_t>(shift)}}, .writes = {{.buffer = u.gathered, .layerShift = static_cast<std::int8_t>(shift)}}};
    }

    // Gradients whole -> reduced into this rank's shard, or summed where they lie.
    void addReduction(std::vector<Op> &ops, const Unit &u)
    {
        if (fsdp()) {
            const Bytes bytes = u.elements * sizeOf(m_r.compute);
            ops.push_back({.name = "reduce_input", .kernel = bytesKernel(double(bytes), double(bytes)), .phase = Phase::Backward, .reads = {{.buffer = u.fullGradients}}, .writes = {{.buffer = u.reduceInput}}, .frees = {{.buffer = u.fullGradients}}});
            ops.push_back({.name = "reduce_scatter", .kernel = collective(OpKind::ReduceScatter, bytes, m_dataGroup), .stream = Stream::Reduce, .phase = Phase::Backward,
                           .reads = {{.buffer = u.reduceInput}}, .writes = {{.buffer = u.gradients}}, .frees = {{.buffer = u.reduceInput}}});
            if (m_p.kind == ParallelKind::Hsdp && dataRanks() > shardRanks())
                ops.push_back({.name = "replica_reduce", .kernel = collective(OpKind::AllReduce, ceilDiv(bytes, shardRanks()), m_replicaGroup), .stream = Stream::Reduce, .phase = Phase::Backward, .reads = {{.buffer = u.gradients}}, .writes = {{.buffer = u.gradients}}});
        } else if (dataRanks() > 1) {
            const OpKind kind = m_p.kind == ParallelKind::Zero1 ? OpKind::ReduceScatter : OpKind::AllReduce;
            ops.push_back({.name = "reduce", .kernel = collective(kind, u.elements * sizeOf(m_r.gradient), m_dataGroup), .stream = overlapsReduction() ? Stream::Reduce : Stream::Compute, .phase = Phase::Backward,
                           .reads = {{.buffer = u.gradients}}, .writes = {{.buffer = u.gradients}}});
        }
    }
    // Megatron's older recipes reduce after the last backward; DDP and later Megatron while it runs.
    [[nodiscard]] bool overlapsReduction() const { return !(m_c.framework == Framework::Megatron && m_c.attention == Attention::Vanilla); }

    // What every micro-batch of the stage runs, recorded once.
    struct StageOps {
        std::vector<Op> layerForward, layerBackward, headForward, loss, headBackward;
        int lossChunks = 1;
    };

    struct ForwardBlocks {
        BlockId embedding{}, layer{}, lastLayer{}, head{};
    };
    struct BackwardBlocks {
        BlockId loss{}, laterLoss{}, head{}, layer{}, firstLayer{}, embedding{};
    };

    void recordLayerOps()
    {
        Tape tape(m_b, "layer");
        const Value x = tape.existing(m_x), out = tape.existing(m_x, 1);
        recordLayer(tape, m_b, m_m, m_r, m_s, m_c.attention, weightsOf(m_layer), x, out);
        Tape::Blocks blocks = tape.finish(x, out, m_dx, m_c.recompute == Recompute::Full);
        Block f{"layer_forward", std::move(blocks.forward), true}, b{"layer_backward", std::move(blocks.backward), true};
        if (m_c.recompute != Recompute::None)
            recompute(f, b, m_c.recompute == Recompute::Full ? blocks.saved : attentionSaves(blocks.saved), m_r.wholeRecompute && m_c.recompute == Recompute::Full);
        m_ops.layerForward = std::move(f.ops);
        m_ops.layerBackward = std::move(b.ops);
    }

    // Selective recomputation brings attention's matrices back (Korthikanti et al. 2022); flash has its output alone.
    std::vector<BufferId> attentionSaves(const std::vector<BufferId> &saved)
    {
        std::vector<BufferId> dropped;
        for (const BufferId id : saved) {
            const std::string &name = plan().at(id).name;
            for (const char *part : {"probabilities", "dropped", "attention_mask", "attention_out", "attention_lse", "scores"}) {
                if (name.find(part) != std::string::npos)
                    dropped.push_back(id);
            }
        }
        return dropped;
    }

    // Communication around a layer's forward and backward; the edges of the stage have nothing to prefetch.
    BlockId forwardBlock(std::vector<Op> ops, bool lastLayer)
    {
        if (fsdp()) {
            if (!lastLayer)
                ops.insert(ops.begin(), gather(m_layer, 1, Phase::Forward));
            if (reshards())
                ops.back().frees.push_back({.buffer = m_layer.gathered});
        }
        return m_b.block({"layer_forward", std::move(ops), true});
    }
    BlockId backwardBlock(std::vector<Op> ops, bool firstLayer, bool reduce)
    {
        if (fsdp()) {
            if (!firstLayer && reshards())
                ops.insert(ops.begin(), gather(m_layer, -1, Phase::Backward));
            ops.back().frees.push_back({.buffer = m_layer.gathered});
        }
        if (fsdp() || reduce)
            addReduction(ops, m_layer);
        return m_b.block({"layer_backward", std::move(ops), true});
    }

    BlockId embeddingBlock()
    {
        std::vector<Op> ops;
        if (fsdp()) {
            ops.push_back(gather(m_root, 0, Phase::Forward));
            ops.push_back(gather(m_layer, 0, Phase::Forward));
        }
        const KernelId kernel = first() ? m_b.kernel({.kind = OpKind::Embedding, .type = m_r.residual, .m = m_s.tokens, .n = m_s.hidden})
                                        : collective(OpKind::SendReceive, m_s.tokens * m_s.hidden * sizeOf(m_r.compute), m_pipeGroup);
        ops.push_back({.name = first() ? "embedding" : "receive", .kernel = kernel, .reads = {weightsOf(m_root).weights}, .writes = {{.buffer = m_x}}});
        return m_b.block({"embedding_forward", std::move(ops)});
    }

    BlockId embeddingBackwardBlock(bool reduce)
    {
        std::vector<Op> ops;
        const KernelId kernel = first() ? m_b.kernel({.kind = OpKind::EmbeddingBackward, .type = m_r.residual, .m = m_s.tokens, .n = m_s.hidden, .k = m_s.vocab})
                                        : collective(OpKind::SendReceive, m_s.tokens * m_s.hidden * sizeOf(m_r.compute), m_pipeGroup);
        Op op{.name = first() ? "embedding_backward" : "send_gradient", .kernel = kernel, .phase = Phase::Backward, .reads = {{.buffer = m_dx}}, .frees = {{.buffer = m_dx}}};
        op.writes.push_back(weightsOf(m_root).gradients);
        if (fsdp())
            op.frees.push_back({.buffer = m_root.gathered});
        ops.push_back(std::move(op));
        if (fsdp() || reduce)
            addReduction(ops, m_root);
        return m_b.block({"embedding_backward", std::move(ops)});
    }

    // Last norm, head, loss and back, or the hand-over to the next stage. Slot index: the number of layers.
    void recordHeadOps()
    {
        if (last()) {
            recordFinalNorm();
        } else {
            const KernelId kernel = collective(OpKind::SendReceive, m_s.tokens * m_s.hidden * sizeOf(m_r.compute), m_pipeGroup);
            m_ops.headForward = {{.name = "send", .kernel = kernel, .reads = {{.buffer = m_x}}, .frees = {{.buffer = m_x}}}};
            m_ops.headBackward = {{.name = "receive_gradient", .kernel = kernel, .phase = Phase::Backward, .writes = {{.buffer = m_dx}}}};
        }
        if (fsdp() && reshards())
            m_ops.headBackward.insert(last() ? m_ops.headBackward.begin() : m_ops.headBackward.end(), gather(m_layer, -1, Phase::Backward));
    }

    void recordFinalNorm()
    {
        Tape tape(m_b, "final");
        const Value x = tape.existing(m_x);
        const Value normed = recordNorm(tape, m_b, m_m, m_r, m_s, weightsOf(m_root), x, "final_norm");
        const BufferId dNormed = m_b.buffer({.name = "dnormed", .bytes = m_b.plan.at(m_x).bytes, .type = m_r.residual, .role = Role::Activation, .scope = Scope::MicroBatch, .perLayer = true});
        Tape::Blocks blocks = tape.finish(x, normed, m_dx, false);
        // The norm's output's gradient is not the next layer's.
        for (Op &op : blocks.backward) {
            for (std::vector<Use> *uses : {&op.reads, &op.writes, &op.frees})
                std::replace(uses->begin(), uses->end(), Use{.buffer = m_dx, .layerShift = 1}, Use{.buffer = dNormed});
        }
        const Use normedUse{.buffer = tape.bufferOf(normed)};
        m_ops.headForward = std::move(blocks.forward);
        recordLoss(normedUse, {.buffer = dNormed});
        m_ops.headBackward = std::move(blocks.backward);
        // The head's weight gradient reads it in every chunk of the loss.
        m_ops.headBackward.back().frees.push_back(normedUse);
    }

    // Bytes a token and vocabulary entry by loss path: see the table in the documentation of --loss-path.
    void recordLoss(Use normed, Use dNormed)
    {
        const bool chunked = m_r.loss == LossPath::Chunked || m_r.loss == LossPath::Fused;
        const std::int64_t rows = chunked ? ceilDiv(m_s.tokens, kLossChunks) : m_s.tokens;
        const std::int64_t entries = rows * m_s.vocab;
        const Bytes e = sizeOf(m_r.compute);
        const bool upcasts = m_r.compute != DType::Fp32 && m_r.loss != LossPath::Bf16;
        const Bytes le = upcasts ? 4 : e;
        const auto logits = [&](const std::string &name, Bytes size) { return Use{.buffer = m_b.buffer({.name = name, .bytes = entries * size, .type = size == 4 ? DType::Fp32 : DType::Bf16, .role = Role::Logits, .scope = Scope::MicroBatch})}; };
        const auto gemm = [&](GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) { return m_b.kernel({.kind = OpKind::Gemm, .type = m_r.compute, .form = form, .cost = CostClass::Loss, .m = m, .n = n, .k = k}); };
        const auto pass = [&](double read, double written) { return bytesKernel(double(entries) * read, double(entries) * written, CostClass::Loss); };
        const TorchWeights w = weightsOf(m_root);
        const Use out = logits("logits", e), wide = upcasts ? logits("logits_fp32", 4) : out, logProbabilities = logits("log_probabilities", le), dLog = logits("dlog_probabilities", le), dWide = logits("dlogits_wide", le),
                  dOut = upcasts ? logits("dlogits", e) : dWide;
        const bool keepsHalf = m_r.loss == LossPath::Hf && upcasts;        // in the model's output object
        const bool keepsWide = !upcasts && m_r.loss != LossPath::Fused;    // logits are what the caller holds
        const bool fused = m_r.loss == LossPath::Fused;

        std::vector<Op> &ops = m_ops.loss;
        ops.push_back({.name = "logits", .kernel = gemm(GemmForm::Forward, rows, m_s.vocab, m_s.hidden), .reads = {normed, w.weights}, .writes = {out}});
        if (fused) {
            ops.push_back({.name = "cross_entropy", .kernel = pass(2.0 * double(e), double(e)), .reads = {out}, .writes = {out, {.buffer = m_loss}}});
            addHeadGradients(ops, out, normed, dNormed, rows, gemm);
        } else {
            if (upcasts)
                ops.push_back({.name = "to_fp32", .kernel = pass(double(e), 4), .reads = {out}, .writes = {wide}, .frees = keepsHalf ? std::vector<Use>{} : std::vector<Use>{out}});
            ops.push_back({.name = "log_softmax", .kernel = pass(2.0 * double(le), double(le)), .reads = {wide}, .writes = {logProbabilities}});
            ops.push_back({.name = "nll", .kernel = bytesKernel(double(rows) * 8, 4, CostClass::Loss), .reads = {logProbabilities}, .writes = {{.buffer = m_loss}}, .frees = upcasts ? std::vector<Use>{wide} : std::vector<Use>{}});
            ops.push_back({.name = "nll_backward", .kernel = pass(0, double(le)), .phase = Phase::Backward, .reads = {logProbabilities}, .writes = {dLog}});
            ops.push_back({.name = "log_softmax_backward", .kernel = pass(2.0 * double(le), double(le)), .phase = Phase::Backward, .reads = {logProbabilities, dLog}, .writes = {dWide}, .frees = {logProbabilities, dLog}});
            if (upcasts)
                ops.push_back({.name = "to_fp32_backward", .kernel = pass(4, double(e)), .phase = Phase::Backward, .reads = {dWide}, .writes = {dOut}, .frees = {dWide}});
            addHeadGradients(ops, dOut, normed, dNormed, rows, gemm);
            if (keepsHalf || keepsWide)
                ops.back().frees.push_back(out);
        }
        m_ops.lossChunks = chunked ? kLossChunks : 1;
    }

    template<typename Gemm>
    void addHeadGradients(std::vector<Op> &ops, Use dLogits, Use normed, Use dNormed, std::int64_t rows, const Gemm &gemm)
    {
        const TorchWeights w = weightsOf(m_root);
        ops.push_back({.name = "head_dx", .kernel = gemm(GemmForm::InputGradient, rows, m_s.hidden, m_s.vocab), .phase = Phase::Backward, .reads = {dLogits, w.weights}, .writes = {dNormed}});
        ops.push_back({.name = "head_dweight", .kernel = gemm(GemmForm::WeightGradient, m_s.vocab, m_s.hidden, rows), .phase = Phase::Backward, .reads = {dLogits, normed}, .writes = {w.gradients}, .frees = {dLogits}});
    }

    void addForwardBlocks()
    {
        m_forward.embedding = embeddingBlock();
        m_forward.layer = forwardBlock(m_ops.layerForward, false);
        m_forward.lastLayer = fsdp() ? forwardBlock(m_ops.layerForward, true) : m_forward.layer;
        m_forward.head = m_b.block({last() ? "final_norm_forward" : "send_forward", m_ops.headForward});
    }

    // Blocks of the first micro-batch bear gradients, those of the others find them: each segment gets its own.
    BackwardBlocks backwardBlocks(bool reduce)
    {
        BackwardBlocks b;
        b.loss = m_b.block({"loss", m_ops.loss});
        // The first chunk bears the head's gradients, the others find them.
        b.laterLoss = m_ops.lossChunks > 1 ? m_b.block({"loss", m_ops.loss}) : b.loss;
        b.head = m_b.block({last() ? "final_norm_backward" : "receive_backward", m_ops.headBackward});
        b.layer = backwardBlock(m_ops.layerBackward, false, reduce);
        b.firstLayer = fsdp() && reshards() ? backwardBlock(m_ops.layerBackward, true, reduce) : b.layer;
        b.embedding = embeddingBackwardBlock(reduce);
        return b;
    }

    void addForward(Segment &segment, int microBatch) const
    {
        const int layers = m_b.plan.layers;
        segment.slots.push_back({.block = m_forward.embedding, .microBatch = microBatch});
        for (int i = 0; i < layers; ++i)
            segment.slots.push_back({.block = i + 1 == layers ? m_forward.lastLayer : m_forward.layer, .index = i, .microBatch = microBatch});
        segment.slots.push_back({.block = m_forward.head, .index = layers, .microBatch = microBatch});
    }

    void addBackward(Segment &segment, const BackwardBlocks &b, int microBatch) const
    {
        const int layers = m_b.plan.layers;
        for (int chunk = 0; last() && chunk < m_ops.lossChunks; ++chunk)
            segment.slots.push_back({.block = chunk == 0 ? b.loss : b.laterLoss, .index = layers, .microBatch = microBatch});
        segment.slots.push_back({.block = b.head, .index = layers, .microBatch = microBatch});
        for (int i = layers - 1; i >= 0; --i)
            segment.slots.push_back({.block = i == 0 ? b.firstLayer : b.layer, .index = i, .microBatch = microBatch});
        segment.slots.push_back({.block = b.embedding, .microBatch = microBatch});
    }

    // One forward, one backward (Narayanan et al. 2021, section 2.2): a stage runs ahead by as many micro-batches as
    // there are stages after it, then alternates, then drains. A stage alone runs ahead by none.
    void addMicroBatches()
    {
        addForwardBlocks();
        const int inFlight = plan().microBatchesInFlight, ahead = inFlight - 1;
        const std::int64_t steady = m_c.gradAccum - ahead;
        if (ahead > 0) {
            Segment warmUp{.microBatches = ahead};
            for (int i = 0; i < ahead; ++i)
                addForward(warmUp, i);
            plan().schedule.push_back(std::move(warmUp));
        }
        addAlternating(1, 1, steady == 1 && ahead == 0);
        // A repetition leaves alive what it found alive: it goes round all instances of what is in flight.
        const bool reducesHere = ahead == 0 && steady > 1;
        const std::int64_t middle = steady - 1 - (reducesHere ? 1 : 0);
        addAlternating(middle / inFlight, inFlight, false);
        addAlternating(middle % inFlight > 0 ? 1 : 0, static_cast<int>(middle % inFlight), false);
        if (reducesHere)
            addAlternating(1, 1, true);
        if (ahead > 0) {
            Segment drain{.microBatches = 0};
            const BackwardBlocks early = backwardBlocks(false), reducing = backwardBlocks(!fsdp());
            for (int i = 0; i < ahead; ++i)
                addBackward(drain, i + 1 == ahead ? reducing : early, i - ahead);
            plan().schedule.push_back(std::move(drain));
        }
    }

    void addAlternating(std::int64_t repeat, int count, bool reduces)
    {
        if (repeat < 1)
            return;
        const BackwardBlocks backward = backwardBlocks(reduces && !fsdp());
        Segment segment{.repeat = static_cast<std::int32_t>(repeat), .microBatches = count};
        for (int i = 0; i < count; ++i) {
            addForward(segment, i);
            addBackward(segment, backward, i - (plan().microBatchesInFlight - 1));
        }
        plan().schedule.push_back(std::move(segment));
    }

    void addOptimizer()
    {
        Segment segment{.microBatches = 0};
        const auto each = [&](const Unit &u, BlockId block) {
            for (int i = 0; i < (u.perLayer ? plan().layers : 1); ++i)
                segment.slots.push_back({.block = block, .index = i});
        };
        const bool freesGradients = plan().at(m_root.gradients).scope == Scope::Step;
        const BufferId norm = m_b.buffer({.name = "gradient_norm", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
        for (const Unit *u : {&m_root, &m_layer}) {
            const double own = double(plan().at(u->gradients).bytes);
            each(*u, m_b.block({"gradient_norm", {{.name = "norm", .kernel = bytesKernel(own, 4, CostClass::Optimizer), .phase = Phase::Optimizer, .reads = {{.buffer = u->gradients}}, .writes = {{.buffer = norm}}},
                                                  {.name = "clip", .kernel = bytesKernel(own, own, CostClass::Optimizer), .phase = Phase::Optimizer, .reads = {{.buffer = norm}}, .writes = {{.buffer = u->gradients}}}}, u->perLayer}));
        }
        for (const Unit *u : {&m_root, &m_layer}) {
            Op op{.name = "adamw", .kernel = optimizerKernel(*u), .phase = Phase::Optimizer, .reads = {{.buffer = u->gradients}, {.buffer = norm}},
                  .writes = {{.buffer = u->weights}, {.buffer = u->masters}, {.buffer = u->momentum}, {.buffer = u->variance}}};
            std::vector<Op> ops{op};
            if (m_p.kind == ParallelKind::Zero1 && dataRanks() > 1)
                ops.push_back({.name = "gather_weights", .kernel = collective(OpKind::AllGather, u->elements * sizeOf(m_r.weight), m_dataGroup), .phase = Phase::Optimizer, .reads = {{.buffer = u->weights}}, .writes = {{.buffer = u->weights}}});
            each(*u, m_b.block({"optimizer", std::move(ops), u->perLayer}));
        }
        // zero_grad(set_to_none) comes after the whole step.
        if (freesGradients) {
            for (const Unit *u : {&m_root, &m_layer})
                each(*u, m_b.block({"zero_grad", {{.name = "zero_grad", .kernel = m_b.kernel({.kind = OpKind::View, .type = m_r.compute}), .phase = Phase::Optimizer, .frees = {{.buffer = u->gradients}}}}, u->perLayer}));
        }
        plan().schedule.push_back(std::move(segment));
    }

    // AdamW reads gradient, weight or master and both moments, and writes all but the gradient; foreach makes passes more.
    KernelId optimizerKernel(const Unit &u)
    {
        const double read = double(plan().at(u.gradients).bytes + plan().at(u.masters).bytes + plan().at(u.momentum).bytes + plan().at(u.variance).bytes);
        const double passes = m_c.optimizer == OptimizerKind::AdamWForeach ? 2.5 : 1;
        return bytesKernel(read * passes, (read - double(plan().at(u.gradients).bytes)) * passes + (m_r.masters ? double(plan().at(u.weights).bytes) : 0), CostClass::Optimizer);
    }

    const RunConfig &m_c;
    const ModelSpec &m_m;
    TorchRecipe m_r;
    const Parallelism &m_p;
    int m_stage;
    PlanBuilder m_b;
    TorchSizes m_s;
    GroupId m_dataGroup{}, m_replicaGroup{}, m_pipeGroup{};
    Unit m_root, m_layer;
    BufferId m_x{}, m_dx{}, m_loss{};
    StageOps m_ops;
    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildTorchStep(const RunConfig &config, const ModelSpec &model, int stage) { return TorchStepBuilder(config, model, stage).build(); }

} // namespace slipway
