// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_stage.h"

#include <algorithm>
#include <string>

namespace slipway {

SimulatedStage::SimulatedStage(const RunConfig &config, const ModelSpec &model, int stage)
    : SimulatedUnits(config, model, stage)
{
    addGradientCopies();
    addStream();
}

void SimulatedStage::addGradientCopies()
{
    // Megatron-LM's own optimizer of 16-bit gradients copies them to fp32 in its step (optimizer.py,
    // _copy_model_grads_to_main_grads). InternEvo's does so with those of FSDP's shards (0.2.2, fsdp_optimizer.py).
    const bool ofShards = m_c.simulated.halfModel && fsdp() && !updatesOnHost();
    if ((m_c.framework == Framework::Megatron || ofShards) && m_r.masters && !m_r.flattensGradients &&
        m_r.gradient == DType::Bf16 && m_c.simulated.lossPath != LossPath::InPlace)
        m_ownGradients = m_b.buffer({.name = "main_gradients",
            .bytes = ceilDiv(stageElements(), m_p.kind == ParallelKind::Zero1 || fsdp() ? dataRanks() : 1) *
                     sizeOf(DType::Fp32),
            .type = DType::Fp32,
            .role = Role::Gradient,
            .scope = Scope::Step});
    if (m_r.accumulatesInFp32) { // from the last backward pass; freed by the next one
        m_b.buffer({.name = "half_gradients",
            .bytes = stageElements() * sizeOf(m_r.compute),
            .type = m_r.compute,
            .role = Role::Gradient,
            .scope = Scope::Run});
        return;
    }
    if (fsdp() && !m_r.copiesGathered && m_c.simulated.sharder != Sharder::DeepSpeed &&
        m_c.simulated.limitGathers == false) {
        addGatheredAhead();
        return;
    }
    // DeepSpeed's optimizer with one rank works in the same way.
    if ((m_c.simulated.sharder == Sharder::DeepSpeed && dataRanks() > 1) || m_r.flattensGradients) {
        addReduceBuckets();
        addFlatGradients();
    }
}

// Without a limit, the host launches the all-gathers of all layers while the first layer runs.
void SimulatedStage::addGatheredAhead()
{
    const std::int64_t ahead = stageElements() - m_root.elements - 2 * m_layer.elements;
    if (ahead > 0 && !keepsUnsharded())
        m_fetchedAhead = m_b.buffer({.name = "gathered_ahead",
            .bytes = ahead * sizeOf(m_r.gathered),
            .type = m_r.gathered,
            .role = Role::Communication,
            .scope = Scope::MicroBatch});
}

BufferId SimulatedStage::addZeroBuffer(const std::string &name, std::int64_t elements, DType type, Scope scope)
{
    return m_b.buffer({.name = "zero." + name,
        .bytes = elements * sizeOf(type),
        .type = type,
        .role = Role::Communication,
        .scope = scope});
}

// DeepSpeed's ZeRO collects 16-bit gradients in a bucket (reduce_bucket_size), which is as large for small models. Its
// third stage gathers 5e7 further elements with each GEMM, even if earlier ones have not arrived, up to a total of 1e9
// (stage3_prefetch_bucket_size, stage3_max_live_parameters; 0.7.2 and 0.19.8, partitioned_param_coordinator.py,
// fetch_sub_module). This many stay from the first layers to the last backward pass.
void SimulatedStage::addReduceBuckets()
{
    constexpr std::int64_t kLive = 1'000'000'000;
    if (m_r.flattensGradients && !m_r.pipelineEngine)
        addZeroBuffer(
            "bucket", std::min<std::int64_t>(m_c.simulated.reduceBucket, 512 * kMiB / 2), m_r.compute, Scope::Run);
    else if (m_r.pipelineEngine || runsZero3() || !last())
        addZeroBuffer("bucket",
            m_r.pipelineEngine ? std::min(m_c.simulated.reduceBucket, stageElements()) : m_c.simulated.reduceBucket,
            m_r.compute, Scope::Run);
    else // allocated for each backward pass, by its first gradient
        m_bucket = addZeroBuffer("bucket",
            (m_c.simulated.overlapReduce.value_or(false) ? 2 : 1) * m_c.simulated.reduceBucket, m_r.compute,
            Scope::MicroBatch); // one is filled while the other is reduced (overlap_comm; 0.19.8, stage_1_and_2.py)
    // use_multi_rank_bucket_allreduce: others' parts of a bucket are flattened.
    if (keepsWeightsWhole() && m_c.simulated.torchChanges.flattensBuckets)
        m_flattened = addZeroBuffer("flattened",
            std::min(m_c.simulated.reduceBucket, trainedElements()) * (dataRanks() - 1) / dataRanks(), m_r.compute,
            Scope::MicroBatch);
    const std::int64_t planned = m_root.elements + 2 * m_layer.elements; // gathered in every plan
    if (const std::int64_t ahead = std::min(kLive, stageElements()) - planned; runsZero3() && ahead > 0)
        m_fetchedAhead = addZeroBuffer("fetched_ahead", ahead, m_r.gathered, Scope::MicroBatch);
}

// DeepSpeed's step flattens the 16-bit gradients of this rank and casts them to fp32. The third stage does this in
// groups of 1e9 elements (sub_group_size; 0.19.8, stage3.py, _prepare_fp32_grad_for_sub_group). The others do it at
// once (stage_1_and_2.py, step). Its first stage of 2021 flattens all gradients, before it takes this rank's part in
// fp32 (0.4.2, zero/stage1.py, flatten_dense_tensors_sub_partition_aligned).
void SimulatedStage::addFlatGradients()
{
    constexpr std::int64_t kSubGroup = 1'000'000'000;
    const bool shards = m_c.simulated.sharder == Sharder::DeepSpeed && dataRanks() > 1;
    if (shards && m_r.masters && !m_r.flattensGradients && !updatesOnHost()) {
        const std::int64_t own = ceilDiv(trainedElements(), dataRanks()),
                           atOnce = runsZero3() ? std::min(own, kSubGroup) : own;
        m_flatGradients = addZeroBuffer("flat_gradients", atOnce, m_r.compute, Scope::Step);
        m_ownGradients = addZeroBuffer("own_gradients", atOnce, DType::Fp32, Scope::Step);
    }
    if (m_r.flattensGradients) {
        m_flatGradients = addZeroBuffer("flat_gradients", trainedElements(), m_r.compute, Scope::Step);
        m_ownGradients =
            addZeroBuffer("own_gradients", ceilDiv(trainedElements(), dataRanks()), DType::Fp32, Scope::Step);
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
    const bool adds = m_c.framework == Framework::PytorchEager && m_c.attention == Attention::Vanilla &&
                      m_m.position == Position::Rope;
    if (const DType type = adds ? m_r.residual : m_r.compute; adds || m_r.masksDensely)
        m_b.buffer({.name = "causal_mask",
            .bytes = m_s.batch * m_s.seq * m_s.fullSeq * sizeOf(type),
            .type = type,
            .role = Role::Workspace,
            .scope = Scope::Run});
    m_loss =
        m_b.buffer({.name = "loss", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
}

void SimulatedStage::addSharedBuffers(std::int64_t streamWidth)
{
    // The global memory buffer of Megatron-Core 0.3 to 0.12 (parallel_state.py, get_global_memory_buffer). It holds the
    // scores of Megatron's own attention, and the inputs that its own GEMMs gather. Next to TransformerEngine's layers,
    // the LM head is one of these GEMMs.
    const Bytes gathered =
        m_r.sequenceParallel && (m_r.buffersGathered || last()) ? m_s.tokens * m_s.hidden * sizeOf(m_r.compute) : 0;
    const Bytes scores = m_r.buffersScores ? m_s.batch * m_s.heads * m_s.seq * m_s.fullSeq * sizeOf(m_r.compute) : 0;
    if (const Bytes bytes = std::max(gathered, scores); bytes > 0)
        m_b.buffer({.name = "global_buffer",
            .bytes = bytes,
            .type = m_r.compute,
            .role = Role::Workspace,
            .scope = Scope::Run});
    if (first() || m_p.virtualStages > 1 || m_r.pipelineEngine)
        return;
    // A stage keeps the gradient that it sent until the next one is ready. The output of the previous micro-batch, and
    // with it the input of its graph, stays until forward has computed another one (Megatron-Core 0.12, schedules.py,
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

// A stage receives each micro-batch and each gradient into a separate tensor, which is kept from step to step
// (pipelining/stage.py, _prepare_forward_infra and _create_grad_recv_info, PyTorch 2.11). Those in flight are part of
// the residual stream. A sent gradient is kept until the next one is sent (schedules.py, bwd_sends). The outputs of the
// last stage are kept for all micro-batches (output_chunks), unless the caller declines them.
void SimulatedStage::addPipelineBuffers()
{
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
    if (last() && !m_c.simulated.torchChanges.keepsNoOutputs)
        add("pipeline.outputs", (m_c.gradAccum - 1) * m_s.tokens * m_s.vocab * sizeOf(m_r.compute), Role::Logits);
}

} // namespace slipway
