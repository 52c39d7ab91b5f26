// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_step.h"

#include <algorithm>
#include <array>
#include <optional>

#include "config/pipeline_layers.h"
#include "plan/pipeline_schedule.h"
#include "plan/simulated_ops.h"

namespace slipway {

namespace {

class SimulatedStepBuilder : private SimulatedOps {
public:
    using SimulatedOps::SimulatedOps;

    StepPlan build()
    {
        if (keepsUnsharded())
            addGathers();
        if (gathersUpdated())
            addUpdatedGathers();
        addMicroBatches();
        addOptimizer();
        return std::move(m_b.plan);
    }

private:
    struct ForwardBlocks {
        BlockId embedding{}, head{};
        std::array<BlockId, 2> layer{}, lastLayer{}; // by kind
    };
    // The place of a layer in its stage: communication differs at the edges.
    enum Place : std::size_t { Middle, First, Last, Only };
    [[nodiscard]] Place placeOf(int layer) const
    {
        const bool first = layer == 0 && fsdp() && reshards(),
                   last = layer + 1 == m_b.plan.layers && holdsReduceInput();
        return first && last ? Only : first ? First : last ? Last : Middle;
    }
    struct BackwardBlocks {
        BlockId loss{}, laterLoss{}, head{}, embedding{};
        std::optional<BlockId> lossBackward;                 // separate if something happens between loss and backward
        std::vector<Slot> zeroGrad;                          // what frees the gradients of the last step
        std::vector<Slot> after;                             // work that waits until the whole backward pass has run
        std::array<std::optional<BlockId>, 2> leaveAutocast; // by kind
        std::array<std::array<std::optional<BlockId>, 4>, 2> layer{}; // by kind and place
    };

    // Gathers the next layer's weights, not before the input of this layer is ready. FSDP1's limit allows the weights
    // of two layers at a time. FSDP2's streams wait for its last copy.
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

    // Adds communication to a layer's forward and backward blocks. At the edges of the stage, there is nothing to
    // prefetch.
    BlockId forwardBlock(std::vector<Op> ops, bool lastLayer)
    {
        if (gathersDuringPasses()) {
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
        if (gathersDuringPasses()) {
            // Without backward_prefetch, the host launches a layer's all-gather after the reduce-scatter before it,
            // on the same communicator (Zhao et al. 2023, arXiv 2304.11277, section 3.3.2).
            if (reshards() && !m_r.prefetchesBackward)
                gatherLayer(ops, ops.begin(), 0, Phase::Backward);
            else if (place != First && place != Only && reshards())
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
        if (gathersDuringPasses()) {
            gatherUnit(ops, embeddingUnit(), Phase::Forward);
            gatherLayer(ops, ops.end(), 0, Phase::Forward);
        }
        const KernelId kernel =
            first() ? m_b.kernel({.kind = OpKind::Embedding, .type = m_r.residual, .m = m_s.tokens, .n = m_s.hidden})
                    : betweenStages();
        ops.push_back({.name = first() ? "embedding" : "receive",
            .kernel = kernel,
            .stream = first() ? Stream::Compute : streamOfStages(Stream::Gather),
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

    // PyTorch's embedding computes a gradient of the whole table, which is then added to the existing one.
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
        const KernelId kernel = m_r.freezesWeights() ? nothing()
                                : first()            ? m_b.kernel({.kind = OpKind::EmbeddingBackward,
                                                           .type = m_r.residual,
                                                           .m = m_s.tokens,
                                                           .n = m_s.hidden,
                                                           .k = m_s.vocab})
                                                     : betweenStages();
        Op op{.name = first() ? "embedding_backward" : "send_gradient",
            .kernel = kernel,
            .stream = first() ? Stream::Compute : streamOfStages(Stream::Reduce),
            .phase = Phase::Backward,
            .reads = {{.buffer = m_dx}},
            .frees = {{.buffer = m_dx}}};
        if (m_ops.loss.tableGradient)
            op.frees.push_back(*m_ops.loss.tableGradient);
        op.writes.push_back(weightsOf(unit).gradientOf("embedding"));
        if (op.writes.back() != weightsOf(unit).gradients) // in a stage without a norm, no other op writes them
            op.writes.push_back(weightsOf(unit).gradients);
        if (gathersDuringPasses() && !isFlat())
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
        for (const std::optional<Use> &held : {m_ops.loss.held, m_ops.loss.tangent}) { // held until backward returns
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

    // Blocks of the first micro-batch allocate gradients, and those of the others use them. So each segment has its own
    // blocks.
    BackwardBlocks backwardBlocks(bool reduce)
    {
        BackwardBlocks b;
        addZeroGrad(b);
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
            addSlots(b.after, m_b.block({name, std::move(ops), perLayer}));
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

    // Frees what the last step's backward passes have written, once the first forward pass has run.
    void addZeroGrad(BackwardBlocks &b)
    {
        const bool frees = m_firstBackward && zeroesLate();
        for (const Unit *u : frees ? units() : std::vector<const Unit *>{}) {
            addSlots(b.zeroGrad, m_b.block({"zero_grad", {zeroGrad(*u, Phase::Backward)}, u->perLayer}));
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
        if ((b.leaveAutocast[0] || b.leaveAutocast[1] || !b.zeroGrad.empty()) && m_ops.loss.chunks == 1) {
            const auto backward =
                std::find_if(ops.begin(), ops.end(), [](const Op &op) { return op.phase == Phase::Backward; });
            b.lossBackward = m_b.block({"loss_backward", {backward, ops.end()}});
            ops.erase(backward, ops.end());
        }
        b.loss = m_b.block({"loss", ops});
        // The first chunk allocates the gradients of the LM head, and the others use them.
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
        if (!b.lossBackward) // each chunk of the loss has its backward pass
            addOfMicroBatch(segment, b.zeroGrad, microBatch);
        for (int chunk = 0; last() && chunk < m_ops.loss.chunks; ++chunk)
            segment.slots.push_back(
                {.block = chunk == 0 ? b.loss : b.laterLoss, .index = layers, .microBatch = microBatch});
        for (int i = 0; i < layers; ++i) {
            if (const auto &leave = b.leaveAutocast[kindOf(i)])
                segment.slots.push_back({.block = *leave, .index = i, .microBatch = microBatch});
        }
        if (b.lossBackward) {
            addOfMicroBatch(segment, b.zeroGrad, microBatch);
            segment.slots.push_back({.block = *b.lossBackward, .index = layers, .microBatch = microBatch});
        }
        segment.slots.push_back({.block = b.head, .index = layers, .microBatch = microBatch});
        for (int i = layers - 1; i >= 0; --i)
            segment.slots.push_back({.block = *b.layer[kindOf(i)][placeOf(i)], .index = i, .microBatch = microBatch});
        segment.slots.push_back({.block = b.embedding, .microBatch = microBatch});
        addOfMicroBatch(segment, b.after, microBatch);
    }

    static void addOfMicroBatch(Segment &segment, const std::vector<Slot> &slots, int microBatch)
    {
        for (Slot slot : slots) {
            slot.microBatch = microBatch;
            segment.slots.push_back(slot);
        }
    }

    void addMicroBatches()
    {
        addForwardBlocks();
        // Model chunks are equal. If there are fewer micro-batches than the pipeline could hold, all of them are held
        // whole.
        const bool full =
                       maxMicroBatchesInFlight(m_p, m_stage) <= m_c.gradAccum && hasEqualModelChunks(m_p, m_m.layers),
                   ends = endsCountAsLayers(m_p, m_m.layers);
        const Interleaving parts = full ? Interleaving{m_p.virtualStages, modelChunksOfLastInFlight(m_p, m_stage),
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

    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildSimulatedStep(const RunConfig &config, const ModelSpec &model, int stage)
{
    return SimulatedStepBuilder(config, model, stage).build();
}

} // namespace slipway
