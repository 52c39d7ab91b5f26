// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_ops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plan/simulated_layer.h"
#include "plan/simulated_norm.h"

namespace slipway {

SimulatedOps::SimulatedOps(const RunConfig &config, const ModelSpec &model, int stage)
    : SimulatedOptimizer(config, model, stage)
{
    recordLayerOps();
    recordHeadOps();
}

// Tensor-parallel ranks hold the same activations, or shards of them. Each sends its shard, and the others' shards
// arrive over the links of the node (Megatron-LM's scatter_gather_tensors_in_pipeline). Interleaved stages send once
// per model chunk (Narayanan et al. 2021, section 2.2).
KernelId SimulatedOps::betweenStages()
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

// The stream of messages between stages. They overlap with the kernels of other model chunks if Megatron-Core is new
// enough (overlap_p2p_comm, of 0.3, on in NVIDIA's recipes).
Stream SimulatedOps::streamOfStages(Stream stream) const
{
    return m_p.virtualStages > 1 && m_c.framework == Framework::Megatron && !m_c.simulated.olderRecipe
               ? stream
               : Stream::Compute;
}

void SimulatedOps::recordLayerOps()
{
    const bool some = m_c.recomputes(RecomputeOp::LayerAlternate);
    m_ops.layers[0] = recordedLayer(some ? Recompute::None : m_c.recomputeOrNone());
    if (some)
        m_ops.layers[1] = recordedLayer(Recompute::Full);
}

SimulatedOps::LayerOps SimulatedOps::recordedLayer(Recompute mode)
{
    const bool keepsInput =
        mode == Recompute::Full || (mode == Recompute::Selective && m_c.recomputes(RecomputeOp::Norm));
    Tape tape(
        m_b, "layer" + std::string(m_ops.layers[0].forward.ops.empty() ? "" : "_checkpointed"), m_r.fusesAdditions);
    const Value x = tape.existing(m_x), out = tape.existing(m_x, 1);
    recordLayer(
        tape, m_b, m_m, m_r, m_s, m_c.attentionOrFlash(), {weightsOf(m_layer), m_e, weightsOf(m_experts)}, x, out);
    Tape::Blocks blocks = tape.finish(x, out, m_dx, keepsInput);
    LayerOps ops;
    ops.forward.ops = std::move(blocks.forward);
    ops.backward.ops = std::move(blocks.backward);
    std::vector<BufferId> dropped, held, waiting;
    for (const Tape::Made &made : blocks.made) {
        const bool again = mode == Recompute::Full || (mode == Recompute::Selective && isRecomputed(made)),
                   stays = mode == Recompute::Full && made.kept && !m_r.wholeRecompute;
        if (made.saved && again && !stays)
            dropped.push_back(made.buffer);
        else if (made.saved)
            waiting.push_back(made.buffer);
        else if (mode == Recompute::Selective && m_c.recomputes(RecomputeOp::LinearAlternate) && !isRecomputed(made))
            held.push_back(made.buffer); // outputs of listed ops are kept, whether autograd needs them or not
    }
    if (m_c.framework == Framework::PytorchCompile ||
        m_c.simulated.tracesGraph()) // a trace frees tensors after their last read
        held = readByRecomputation(ops.forward, dropped, held);
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

// Megatron-LM checkpoints a part of a layer like a whole one: backward recomputes it when it is needed.
Recomputation SimulatedOps::recomputation(Recompute mode) const
{
    const bool eager = m_c.framework == Framework::PytorchEager && !m_c.simulated.tracesGraph();
    return mode == Recompute::Full ? Recomputation{.whole = m_r.wholeRecompute, .late = eager}
                                   : Recomputation{.late = eager || m_c.framework == Framework::Megatron};
}

// 16-bit copies of weights stay in autocast's cache until its region ends, even if a checkpointed layer frees them.
// Backward runs outside the region and casts again.
void SimulatedOps::holdCasts(LayerOps &ops) const
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

// Megatron-LM checkpoints core attention as a whole. Its output is the input of the next GEMM and is kept, unless that
// GEMM keeps it in fp8.
void SimulatedOps::keepAttentionOutput(
    LayerOps &ops, const std::vector<BufferId> &dropped, std::vector<BufferId> &waiting) const
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

// Whether selective recomputation computes the tensor again. Of alternate GEMMs, the first is kept and the second is
// not (torchtitan's list of ops). Other ops than GEMMs, attention and norms are recomputed with the activations.
bool SimulatedOps::isRecomputed(const Tape::Made &made) const
{
    if (made.group == RecomputeOp::Linear)
        return m_c.recomputes(RecomputeOp::Linear) ||
               (m_c.recomputes(RecomputeOp::LinearAlternate) && made.nth % 2 == 0);
    return m_c.recomputes(made.group);
}

// The last norm, LM head, loss and their backward, or the messages with the next stage. The slot index is the number of
// layers.
void SimulatedOps::recordHeadOps()
{
    if (last()) {
        recordFinalNorm();
    } else {
        const KernelId kernel = betweenStages();
        m_ops.headForward = {{.name = "send",
            .kernel = kernel,
            .stream = streamOfStages(Stream::Reduce),
            .reads = {{.buffer = m_x}},
            .frees = {{.buffer = m_x}}}};
        if (runsTorchPipeline())
            m_ops.headForward.back().writes.push_back({.buffer = m_output});
        if (m_previousInput)
            m_ops.headForward.back().frees.push_back({.buffer = *m_previousInput});
        m_ops.headBackward = {{.name = "receive_gradient",
            .kernel = kernel,
            .stream = streamOfStages(Stream::Gather),
            .phase = Phase::Backward,
            .writes = {{.buffer = m_dx}}}};
    }
    if (fsdp() && reshards() && m_r.prefetchesBackward)
        gatherLayer(
            m_ops.headBackward, last() ? m_ops.headBackward.begin() : m_ops.headBackward.end(), -1, Phase::Backward);
}

void SimulatedOps::recordFinalNorm()
{
    Tape tape(m_b, "final");
    const Value x = tape.existing(m_x);
    const Value normed = recordNorm({tape, m_b, m_m, m_r, m_s, weightsOf(m_root)}, x, "final_norm");
    const BufferId dNormed = m_b.buffer({.name = "dnormed",
        .bytes = m_b.plan.at(m_x).bytes / sizeOf(m_r.residual) * sizeOf(m_r.normed),
        .type = m_r.normed,
        .role = Role::Activation,
        .scope = Scope::MicroBatch,
        .perLayer = true});
    Tape::Blocks blocks = tape.finish(x, normed, m_dx, false);
    // The gradient of the norm's output is not that of a further layer.
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
    if (m_previousInput) { // a chunked loss runs chunk by chunk
        std::vector<Op> &ops = m_ops.loss.chunks > 1 ? m_ops.headBackward : m_ops.loss.ops;
        std::find_if(ops.begin(), ops.end(), [](const Op &op) {
            return op.phase == Phase::Backward;
        })->frees.push_back({.buffer = *m_previousInput});
    }
    // The weight gradient of the LM head reads it in every chunk of the loss.
    m_ops.headBackward.back().frees.push_back(normedUse);
    if (m_bucket)
        m_ops.headBackward.front().writes.push_back({.buffer = *m_bucket});
}

} // namespace slipway
