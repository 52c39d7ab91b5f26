// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_step.h"

#include <algorithm>
#include <optional>

#include "config/pipeline_layers.h"
#include "plan/pipeline_schedule.h"
#include "plan/recompute.h"
#include "plan/tape.h"
#include "plan/simulated_layer.h"
#include "plan/simulated_loss.h"
#include "plan/simulated_optimizer.h"

namespace slipway {

namespace {

class SimulatedStepBuilder : private SimulatedOptimizer {
public:
    SimulatedStepBuilder(const RunConfig &config, const ModelSpec &model, int stage)
        : SimulatedOptimizer(config, model, stage)
    {
        recordLayerOps();
        recordHeadOps();
    }

    StepPlan build()
    {
        if (holdsWhole())
            addGathers();
        if (gathersUpdated())
            addUpdatedGathers();
        addMicroBatches();
        addOptimizer();
        return std::move(m_b.plan);
    }

private:
    // Tensor-parallel ranks hold the same activations, or parts of them: each sends its part and the others' come over
    // the node's links (Megatron-LM's scatter_gather_tensors_in_pipeline). Interleaved parts pass it on as often as
    // there are of them (Narayanan et al. 2021, section 2.2).
    KernelId betweenStages()
    {
        const Bytes bytes = ceilDiv(m_s.tokens * m_s.hidden * sizeOf(m_r.compute), m_p.tp) * m_p.virtualStages;
        return m_b.kernel({.kind = OpKind::SendReceive,
            .type = m_r.compute,
            .m = 1,
            .n = bytes,
            .calls = m_p.virtualStages,
            .messageBytes = bytes,
            .group = m_pipeGroup});
    }

    // Beside the other parts' kernels where there are several and Megatron-Core is young enough (overlap_p2p_comm, of
    // 0.3, on in NVIDIA's recipes).
    [[nodiscard]] Stream besideStages(Stream stream) const
    {
        return m_p.virtualStages > 1 && m_c.framework == Framework::Megatron && m_c.attention == Attention::Flash
                   ? stream
                   : Stream::Compute;
    }

    // A layer as it is run, and as it is checkpointed where only some are.
    struct LayerOps {
        Block forward{"layer_forward", {}, true}, backward{"layer_backward", {}, true};
        std::vector<Use> casts; // that autocast holds until the forward ends
    };

    // What every micro-batch of the stage runs, recorded once.
    struct StageOps {
        std::array<LayerOps, 2> layers;
        std::vector<Op> headForward, headBackward;
        SimulatedLoss loss;
    };

    struct ForwardBlocks {
        BlockId embedding{}, head{};
        std::array<BlockId, 2> layer{}, lastLayer{}; // by kind
    };
    // Where a layer stands in its stage: communication differs at the edges.
    enum Place : std::size_t { Middle, First, Last, Only };
    [[nodiscard]] Place placeOf(int layer) const
    {
        const bool first = layer == 0 && fsdp() && reshards(),
                   last = layer + 1 == m_b.plan.layers && holdsReduceInput();
        return first && last ? Only : first ? First : last ? Last : Middle;
    }
    struct BackwardBlocks {
        BlockId loss{}, laterLoss{}, head{}, embedding{};
        std::optional<BlockId> lossBackward;                 // of its own, where something happens between the two
        std::vector<Slot> after;                             // of what waits until all of backward has run
        std::array<std::optional<BlockId>, 2> leaveAutocast; // by kind
        std::array<std::array<std::optional<BlockId>, 4>, 2> layer{}; // by kind and place
    };

    void recordLayerOps()
    {
        const bool some = m_c.recomputes(RecomputeOp::LayerAlternate);
        m_ops.layers[0] = recordedLayer(some ? Recompute::None : m_c.recompute);
        if (some)
            m_ops.layers[1] = recordedLayer(Recompute::Full);
    }

    // Every second layer, where only some are checkpointed.
    [[nodiscard]] std::size_t kindOf(int layer) const
    {
        return m_c.recomputes(RecomputeOp::LayerAlternate) && layer % 2 == 1 ? 1 : 0;
    }

    LayerOps recordedLayer(Recompute mode)
    {
        const bool keepsInput =
            mode == Recompute::Full || (mode == Recompute::Selective && m_c.recomputes(RecomputeOp::Norm));
        Tape tape(
            m_b, "layer" + std::string(m_ops.layers[0].forward.ops.empty() ? "" : "_checkpointed"), m_r.fusesAdditions);
        const Value x = tape.existing(m_x), out = tape.existing(m_x, 1);
        recordLayer(tape, m_b, m_m, m_r, m_s, m_c.attention, {weightsOf(m_layer), m_e, weightsOf(m_experts)}, x, out);
        Tape::Blocks blocks = tape.finish(x, out, m_dx, keepsInput);
        LayerOps ops;
        ops.forward.ops = std::move(blocks.forward);
        ops.backward.ops = std::move(blocks.backward);
        std::vector<BufferId> dropped, held, waiting;
        for (const Tape::Made &made : blocks.made) {
            if (mode == Recompute::Full ? made.saved : mode == Recompute::Selective && made.saved && bringsBack(made))
                dropped.push_back(made.buffer);
            else if (made.saved)
                waiting.push_back(made.buffer);
            else if (mode == Recompute::Selective && m_c.recomputes(RecomputeOp::LinearAlternate) && !bringsBack(made))
                held.push_back(made.buffer); // the list of ops whose outputs are kept, used by autograd or not
        }
        if (m_c.framework == Framework::PytorchCompile || m_c.tracesGraph()) // a trace frees what nobody reads any more
            held = readAgain(ops.forward, dropped, held);
        if (mode != Recompute::None)
            recompute(ops.forward, ops.backward, dropped, held, recomputation(mode));
        if (mode != Recompute::None && m_r.cachesCasts)
            holdCasts(ops);
        if (mode == Recompute::Selective && m_c.framework == Framework::Megatron)
            keepAttentionOutput(ops, dropped, waiting);
        if (m_c.offloadActivations) {
            if (keepsInput)
                waiting.push_back(m_x);
            offload(ops.forward, ops.backward, waiting, [&](BufferId id) {
                return m_b.kernel({.kind = OpKind::HostCopy, .type = m_r.compute, .m = 1, .n = m_b.plan.at(id).bytes});
            });
        }
        return ops;
    }

    // Megatron-LM checkpoints a part of a layer as it does a whole one: backward makes it again when it gets there.
    [[nodiscard]] Recomputation recomputation(Recompute mode) const
    {
        return mode == Recompute::Full ? Recomputation{.whole = m_r.wholeRecompute}
                                       : Recomputation{.late = m_c.framework == Framework::Megatron};
    }

    // Half copies of weights are in autocast's cache until its region ends, whatever a checkpointed layer lets go of.
    // Backward runs outside of it and casts again.
    void holdCasts(LayerOps &ops) const
    {
        for (Op &op : ops.forward.ops) {
            std::erase_if(op.frees, [&](const Use &use) {
                const bool cast = m_b.plan.at(use.buffer).name.ends_with("_weight_half");
                if (cast)
                    ops.casts.push_back(use);
                return cast;
            });
        }
    }

    // Megatron-LM checkpoints core attention as a whole: what comes out of it is an input of the next GEMM and
    // stays, but where that GEMM keeps it in fp8.
    void keepAttentionOutput(LayerOps &ops, const std::vector<BufferId> &dropped, std::vector<BufferId> &waiting) const
    {
        const auto stays = [&](const Use &use) {
            return m_b.plan.at(use.buffer).name.ends_with("attention_out") &&
                   std::find(dropped.begin(), dropped.end(), use.buffer) != dropped.end();
        };
        for (Op &op : ops.forward.ops) {
            std::erase_if(op.frees, [&](const Use &use) {
                if (stays(use))
                    waiting.push_back(use.buffer);
                return stays(use);
            });
        }
    }

    // Whether selective recomputation makes it again. Of alternate GEMMs the first is kept, the second not
    // (torchtitan's list of ops); what is no GEMM, attention or norm comes back with the activations.
    [[nodiscard]] bool bringsBack(const Tape::Made &made) const
    {
        if (made.group == RecomputeOp::Linear)
            return m_c.recomputes(RecomputeOp::Linear) ||
                   (m_c.recomputes(RecomputeOp::LinearAlternate) && made.nth % 2 == 0);
        return m_c.recomputes(made.group);
    }

    // The next layer's weights, no earlier than what this one starts from is there: FSDP1's limit leaves two layers'
    // weights at a time, FSDP2's streams wait for its last copy.
    void gatherAhead(std::vector<Op> &ops, BufferId from, int shift, Phase phase)
    {
        std::optional<Use> begins;
        for (const Op &op : ops) {
            const auto found =
                std::find_if(op.reads.begin(), op.reads.end(), [from](const Use &use) { return use.buffer == from; });
            if (!begins && found != op.reads.end())
                begins = *found;
        }
        const auto gathers = static_cast<std::ptrdiff_t>(layerUnits().size());
        gatherLayer(ops, ops.begin(), shift, phase);
        if (m_r.limitsGathers && begins)
            std::for_each(ops.begin(), ops.begin() + gathers, [&](Op &gather) { gather.reads.push_back(*begins); });
    }

    // Communication around a layer's forward and backward; the edges of the stage have nothing to prefetch.
    BlockId forwardBlock(std::vector<Op> ops, bool lastLayer)
    {
        if (gathersOnTheWay()) {
            if (!lastLayer)
                gatherAhead(ops, m_x, 1, Phase::Forward);
            copyOutLayer(ops, Phase::Forward);
            if (reshards())
                freeGatheredLayer(ops.back());
        }
        return m_b.block({"layer_forward", std::move(ops), true});
    }
    BlockId backwardBlock(std::vector<Op> ops, Place place, bool reduce)
    {
        if (gathersOnTheWay()) {
            if (place != First && place != Only && reshards())
                gatherAhead(ops, m_dx, -1, Phase::Backward);
            if (reshards())
                copyOutLayer(ops, Phase::Backward);
            if (!isFlat())
                freeGatheredLayer(ops.back());
        }
        const bool reduces = reducesAfter(reduce);
        if (reduces && place != Last && place != Only)
            releaseReduceInput(ops, 1);
        for (const Unit *u : layerUnits()) {
            addAccumulation(ops, *u);
            if (reduces)
                addReduction(ops, *u);
            else
                keepWhole(ops, *u);
            if (reduce)
                addUpdateInBackward(ops, *u);
        }
        return m_b.block({"layer_backward", std::move(ops), true});
    }

    BlockId embeddingBlock()
    {
        std::vector<Op> ops;
        if (gathersOnTheWay()) {
            gatherUnit(ops, embeddingUnit(), Phase::Forward);
            gatherLayer(ops, ops.end(), 0, Phase::Forward);
        }
        const KernelId kernel =
            first() ? m_b.kernel({.kind = OpKind::Embedding, .type = m_r.residual, .m = m_s.tokens, .n = m_s.hidden})
                    : betweenStages();
        ops.push_back({.name = first() ? "embedding" : "receive",
            .kernel = kernel,
            .stream = first() ? Stream::Compute : besideStages(Stream::Gather),
            .reads = {weightsOf(embeddingUnit()).weights},
            .writes = {{.buffer = m_x}}});
        for (const std::optional<BufferId> &made : {m_fetchedAhead, m_embeddingMask, m_previousInput}) {
            if (made)
                ops.back().writes.push_back({.buffer = *made});
        }
        if (splitsEnds() && reshards())
            ops.back().frees.push_back({.buffer = m_embedding.gathered});
        return m_b.block({"embedding_forward", std::move(ops)});
    }

    // PyTorch's own embedding makes a gradient of the whole table, which is then added to the one that is there.
    std::optional<BufferId> halfTableGradient()
    {
        if (!m_r.passesHalfGradients || !first())
            return std::nullopt;
        return m_b.buffer({.name = "embedding_gradient",
            .bytes = m_s.vocab * m_s.hidden * sizeOf(m_r.compute),
            .type = m_r.compute,
            .role = Role::Workspace,
            .scope = Scope::MicroBatch});
    }

    BlockId embeddingBackwardBlock(bool reduce)
    {
        std::vector<Op> ops;
        const Unit &unit = embeddingUnit();
        if (splitsEnds() && reshards())
            gatherUnit(ops, unit, Phase::Backward);
        const KernelId kernel = m_r.freezes() ? nothing()
                                : first()     ? m_b.kernel({.kind = OpKind::EmbeddingBackward,
                                                    .type = m_r.residual,
                                                    .m = m_s.tokens,
                                                    .n = m_s.hidden,
                                                    .k = m_s.vocab})
                                              : betweenStages();
        Op op{.name = first() ? "embedding_backward" : "send_gradient",
            .kernel = kernel,
            .stream = first() ? Stream::Compute : besideStages(Stream::Reduce),
            .phase = Phase::Backward,
            .reads = {{.buffer = m_dx}},
            .frees = {{.buffer = m_dx}}};
        if (m_ops.loss.tableGradient)
            op.frees.push_back(*m_ops.loss.tableGradient);
        op.writes.push_back(weightsOf(unit).gradientOf("embedding"));
        if (op.writes.back() != weightsOf(unit).gradients) // a stage without a norm has nobody else who does
            op.writes.push_back(weightsOf(unit).gradients);
        if (gathersOnTheWay() && !isFlat())
            op.frees.push_back({.buffer = unit.gathered});
        for (const std::optional<BufferId> &shared : {m_fetchedAhead, m_embeddingMask, m_bucket}) {
            if (shared)
                op.frees.push_back({.buffer = *shared});
        }
        for (const std::optional<BufferId> &passing : {m_flattened, halfTableGradient()}) {
            if (passing) {
                op.writes.push_back({.buffer = *passing});
                op.frees.push_back({.buffer = *passing});
            }
        }
        ops.push_back(std::move(op));
        ops.insert(ops.end(), m_ops.loss.metrics.begin(), m_ops.loss.metrics.end());
        for (const std::optional<Use> &held : {m_ops.loss.held, m_ops.loss.tangent}) { // until backward returns
            if (held)
                ops.back().frees.push_back(*held);
        }
        addAccumulation(ops, unit);
        if (reducesAfter(reduce)) {
            releaseReduceInput(ops, 0);
            addReduction(ops, unit);
        } else {
            keepWhole(ops, unit);
        }
        if (reduce)
            addUpdateInBackward(ops, unit);
        return m_b.block({"embedding_backward", std::move(ops)});
    }

    // Last norm, head, loss and back, or the hand-over to the next stage. Slot index: the number of layers.
    void recordHeadOps()
    {
        if (last()) {
            recordFinalNorm();
        } else {
            const KernelId kernel = betweenStages();
            m_ops.headForward = {{.name = "send",
                .kernel = kernel,
                .stream = besideStages(Stream::Reduce),
                .reads = {{.buffer = m_x}},
                .frees = {{.buffer = m_x}}}};
            if (runsTorchPipeline())
                m_ops.headForward.back().writes.push_back({.buffer = m_output});
            if (m_previousInput)
                m_ops.headForward.back().frees.push_back({.buffer = *m_previousInput});
            m_ops.headBackward = {{.name = "receive_gradient",
                .kernel = kernel,
                .stream = besideStages(Stream::Gather),
                .phase = Phase::Backward,
                .writes = {{.buffer = m_dx}}}};
        }
        if (fsdp() && reshards())
            gatherLayer(m_ops.headBackward, last() ? m_ops.headBackward.begin() : m_ops.headBackward.end(), -1,
                Phase::Backward);
    }

    void recordFinalNorm()
    {
        Tape tape(m_b, "final");
        const Value x = tape.existing(m_x);
        const Value normed = recordNorm(tape, m_b, m_m, m_r, m_s, weightsOf(m_root), x, "final_norm");
        const BufferId dNormed = m_b.buffer({.name = "dnormed",
            .bytes = m_b.plan.at(m_x).bytes / sizeOf(m_r.residual) * sizeOf(m_r.normed),
            .type = m_r.normed,
            .role = Role::Activation,
            .scope = Scope::MicroBatch,
            .perLayer = true});
        Tape::Blocks blocks = tape.finish(x, normed, m_dx, false);
        // The norm's output's gradient is not the next layer's.
        for (Op &op : blocks.backward) {
            for (std::vector<Use> *uses : {&op.reads, &op.writes, &op.frees})
                std::replace(uses->begin(), uses->end(), Use{.buffer = m_dx, .layerShift = 1}, Use{.buffer = dNormed});
        }
        const Use normedUse{.buffer = tape.bufferOf(normed)};
        m_ops.headForward = std::move(blocks.forward);
        m_ops.loss = recordSimulatedLoss(m_b, m_r, m_s,
            {.weights = weightsOf(m_root),
                .normed = normedUse,
                .normedGradient = {.buffer = dNormed},
                .loss = {.buffer = m_loss},
                .tied = m_m.head.tied && first()});
        m_ops.headBackward = std::move(blocks.backward);
        if (m_previousInput) { // a loss in chunks is one op after the other of each
            std::vector<Op> &ops = m_ops.loss.chunks > 1 ? m_ops.headBackward : m_ops.loss.ops;
            std::find_if(ops.begin(), ops.end(), [](const Op &op) {
                return op.phase == Phase::Backward;
            })->frees.push_back({.buffer = *m_previousInput});
        }
        // The head's weight gradient reads it in every chunk of the loss.
        m_ops.headBackward.back().frees.push_back(normedUse);
        if (m_bucket)
            m_ops.headBackward.front().writes.push_back({.buffer = *m_bucket});
    }

    void addForwardBlocks()
    {
        m_forward.embedding = embeddingBlock();
        for (std::size_t kind = 0; kind < 2; ++kind) {
            m_forward.layer[kind] = forwardBlock(m_ops.layers[kind].forward.ops, false);
            m_forward.lastLayer[kind] =
                fsdp() ? forwardBlock(m_ops.layers[kind].forward.ops, true) : m_forward.layer[kind];
            if (m_ops.layers[1].forward.ops.empty())
                break;
        }
        std::vector<Op> head;
        if (splitsEnds())
            gatherUnit(head, m_root, Phase::Forward);
        head.insert(head.end(), m_ops.headForward.begin(), m_ops.headForward.end());
        m_forward.head = m_b.block({last() ? "final_norm_forward" : "send_forward", std::move(head)});
    }

    // Blocks of the first micro-batch allocate gradients, those of the others find them: each segment gets its own.
    BackwardBlocks backwardBlocks(bool reduce)
    {
        BackwardBlocks b;
        addLossBlocks(b);
        std::vector<Op> head = m_ops.headBackward;
        if (splitsEnds()) {
            head.back().frees.push_back({.buffer = m_root.gathered});
            if (reducesAfter(reduce))
                addReduction(head, m_root);
            else
                keepWhole(head, m_root);
            if (reduce)
                addUpdateInBackward(head, m_root);
        }
        b.head = m_b.block({last() ? "final_norm_backward" : "receive_backward", std::move(head)});
        for (int i = 0; i < m_b.plan.layers; ++i) {
            std::optional<BlockId> &block = b.layer[kindOf(i)][placeOf(i)];
            if (!block)
                block = backwardBlock(m_ops.layers[kindOf(i)].backward.ops, placeOf(i), reduce);
        }
        b.embedding = embeddingBackwardBlock(reduce);
        addAfterBackward(b, reduce);
        m_firstBackward = false;
        return b;
    }

    void addAfterBackward(BackwardBlocks &b, bool reduce)
    {
        const auto add = [&](const char *name, std::vector<Op> ops, bool perLayer) {
            const BlockId block = m_b.block({name, std::move(ops), perLayer});
            for (int i = 0; i < (perLayer ? m_b.plan.layers : 1); ++i)
                b.after.push_back({.block = block, .index = i});
        };
        if (runsTorchPipeline() && !last())
            add("release_output",
                {{.name = "release_output",
                    .kernel = nothing(),
                    .phase = Phase::Backward,
                    .frees = {{.buffer = m_output}}}},
                false);
        if (fsdp() && holdsReduceOutput())
            add("finalize_backward", {releasedOutputs()}, true);
        for (const Unit *u : reduce &&postponesReduction() ? units() : std::vector<const Unit *>{}) {
            std::vector<Op> ops;
            addPostponedReduction(ops, *u);
            add("reduce_gradients", std::move(ops), u->perLayer);
        }
    }

    void addLossBlocks(BackwardBlocks &b)
    {
        std::vector<Op> ops = m_ops.loss.ops;
        for (std::size_t kind = 0; last() && kind < 2; ++kind) {
            if (const std::vector<Use> &casts = m_ops.layers[kind].casts; !casts.empty())
                b.leaveAutocast[kind] = m_b.block(
                    {"leave_autocast", {{.name = "leave_autocast", .kernel = nothing(), .frees = casts}}, true});
        }
        if ((b.leaveAutocast[0] || b.leaveAutocast[1]) && m_ops.loss.chunks == 1) {
            const auto backward =
                std::find_if(ops.begin(), ops.end(), [](const Op &op) { return op.phase == Phase::Backward; });
            b.lossBackward = m_b.block({"loss_backward", {backward, ops.end()}});
            ops.erase(backward, ops.end());
        }
        b.loss = m_b.block({"loss", ops});
        // The first chunk allocates the head's gradients, the others find them.
        b.laterLoss = m_ops.loss.chunks > 1 ? m_b.block({"loss", std::move(ops)}) : b.loss;
    }

    void addForward(Segment &segment, int microBatch) const
    {
        const int layers = m_b.plan.layers;
        segment.slots.push_back({.block = m_forward.embedding, .microBatch = microBatch});
        for (int i = 0; i < layers; ++i)
            segment.slots.push_back(
                {.block = i + 1 == layers ? m_forward.lastLayer[kindOf(i)] : m_forward.layer[kindOf(i)],
                    .index = i,
                    .microBatch = microBatch});
        segment.slots.push_back({.block = m_forward.head, .index = layers, .microBatch = microBatch});
    }

    void addBackward(Segment &segment, const BackwardBlocks &b, int microBatch) const
    {
        const int layers = m_b.plan.layers;
        for (int chunk = 0; last() && chunk < m_ops.loss.chunks; ++chunk)
            segment.slots.push_back(
                {.block = chunk == 0 ? b.loss : b.laterLoss, .index = layers, .microBatch = microBatch});
        for (int i = 0; i < layers; ++i) {
            if (const auto &leave = b.leaveAutocast[kindOf(i)])
                segment.slots.push_back({.block = *leave, .index = i, .microBatch = microBatch});
        }
        if (b.lossBackward)
            segment.slots.push_back({.block = *b.lossBackward, .index = layers, .microBatch = microBatch});
        segment.slots.push_back({.block = b.head, .index = layers, .microBatch = microBatch});
        for (int i = layers - 1; i >= 0; --i)
            segment.slots.push_back({.block = *b.layer[kindOf(i)][placeOf(i)], .index = i, .microBatch = microBatch});
        segment.slots.push_back({.block = b.embedding, .microBatch = microBatch});
        for (Slot slot : b.after) {
            slot.microBatch = microBatch;
            segment.slots.push_back(slot);
        }
    }

    void addMicroBatches()
    {
        addForwardBlocks();
        // Parts are equal; fewer micro-batches than a pipeline could hold are there whole.
        const bool full = microBatchesHeld(m_p, m_stage) <= m_c.gradAccum && partsDivide(m_p, m_m.layers),
                   ends = endsStandForLayers(m_p, m_m.layers);
        const Interleaving parts = full ? Interleaving{m_p.virtualStages, partsOfLastHeld(m_p, m_stage),
                                              ends && first() ? 1 : 0, ends && last() ? 1 : 0}
                                        : Interleaving{};
        addOneForwardOneBackward(plan(),
            {.forward = [this](Segment &segment, int microBatch) { addForward(segment, microBatch); },
                .backward =
                    [this](bool reduces) {
                        return [this, blocks = backwardBlocks(reduces)](
                                   Segment &segment, int microBatch) { addBackward(segment, blocks, microBatch); };
                    }},
            parts);
    }

    StageOps m_ops;
    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildSimulatedStep(const RunConfig &config, const ModelSpec &model, int stage)
{
    return SimulatedStepBuilder(config, model, stage).build();
}

} // namespace slipway
