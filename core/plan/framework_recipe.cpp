// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/framework_recipe.h"

#include "plan/data_parallel.h"

namespace slipway {

namespace {

// scaled_dot_product_attention takes fewer heads of keys than of queries since then, and models pass them.
constexpr int kTorchWithGroupedQueries = 205;
// torchtitan's model does since 0.2.2, of February 2026.
constexpr int kTorchBesideGroupedQueriesOfModules = 211;
// zero_grad sets gradients to None where nobody asks otherwise, and Megatron-LM of that time works in place.
constexpr int kTorchThatDropsGradients = 200;
// Optimizers take the tensors of a model together (foreach) or are one kernel (fused) since.
constexpr int kTorchWithForeach = 200;
// Of that time is the version of Transformers (4.46) whose models hand out half logits; before, they handed out what
// they had upcast.
constexpr int kTorchBesideHalfOutputs = 205;
// torch.utils.checkpoint stops a layer's second forward once backward has what it needs since (early_stop).
constexpr int kTorchThatStopsEarly = 201;
// FSDP's limit_all_gathers is on by default since (fsdp/fully_sharded_data_parallel.py of 2.0.1 and 2.1.2).
constexpr int kTorchThatLimitsGathers = 201;
// Ring attention gives ranks parts of the sequence that cost alike since (tensor/experimental/_attention.py of 2.5.1
// and 2.6.0).
constexpr int kTorchThatBalancesContext = 206;
// Of that time, 2020, are Megatron-LM's kernels for masked soft-max and for bias, dropout and sum, as we recall it:
// before, as in its paper of 2019, it multiplied scores by the mask, subtracted what it hides, and ran PyTorch's.
constexpr int kTorchBesideFusedSoftmax = 106;
// Of that time is Megatron-Core 0.5, which has kernels for SwiGLU and rotation; those of 0.3 are PyTorch's
// (transformer/mlp.py).
constexpr int kTorchBesideFusedGates = 202;
// Of that time is Megatron-Core 0.13 (2025-07; experts.py, activation_func_with_probs; 0.12 multiplies in moe_utils.py,
// unpermute).
constexpr int kTorchBesideWeightedActivations = 208;
// AOTAutograd gives Inductor leave to write over what forward saved for backward alone since, as we recall it
// (functorch/config.py of 2.11, donated_buffer).
constexpr int kTorchThatDonatesBuffers = 206;
// torch.nn.RMSNorm is a kernel of its own since.
constexpr int kTorchWithFusedNorm = 209;

// SoftmaxBackward and LogSoftmaxBackward keep their input, too, before it (autograd/generated/Functions.h of the wheels
// of 1.8 to 2.2).
constexpr int kTorchWithoutSoftmaxInputs = 111;

// F.gelu is on autocast's list of fp32 for CUDA before it (WrapFunction_<CastPolicy::fp32, at::gelu> in the wheels of
// 1.8.1 and 1.9.0, none in 1.10.2).
constexpr int kTorchWithHalfGelu = 110;

// Megatron-LM's fused soft-max takes four rows of scores a block, of 4,096 keys at most: of fewer, or of a number that
// four does not divide, it runs PyTorch's (fused_softmax.py, is_kernel_available, Megatron-Core 0.3 to 0.19).
constexpr std::int64_t kFusedSoftmaxRows = 4, kFusedSoftmaxSequence = 4096;

// nanotron, InternEvo, lit-gpt's pre-training: eager PyTorch around kernels of flash-attn, apex, xformers or Liger.
bool writesKernels(const RunConfig &c) { return c.framework == Framework::PytorchEager && c.fusedKernels; }

// Composer's default mixed precision on torch 1.x, where nobody says what is gathered.
bool gathersWide(const RunConfig &c)
{
    return c.gatherType == GradientType::Auto ? c.torchVersion() < 200 && !c.autocast
                                              : c.gatherType == GradientType::Fp32;
}

// PEFT has adapters in fp32 beside a half model, which autocast runs (autocast_adapter_dtype; 0.13 to 0.21,
// tuners/tuners_utils.py, cast_adapter_dtype). Nobody needs masters of what is frozen, which is loaded in half.
void setAdapterTypes(FrameworkRecipe &r, const RunConfig &c)
{
    const bool mixed = c.precision != Precision::Fp32 && c.precision != Precision::Bf16;
    r.weight = r.compute = r.residual = c.precision == Precision::Fp32 ? DType::Fp32 : DType::Bf16;
    r.gathered = r.weight;
    r.adapter = mixed ? DType::Fp32 : r.compute;
    r.gradient = r.adapter;
    r.autocast = mixed && c.framework == Framework::PytorchEager;
    r.loraRank = c.loraRank;
    r.loraTargets = c.loraTargets;
    r.frozen = c.frozenWeights;
    r.adapterDropout = c.dropout.value_or(false);
}

void setTypes(FrameworkRecipe &r, const RunConfig &c)
{
    if (c.trainsAdapters()) {
        setAdapterTypes(r, c);
    } else if (c.precision == Precision::Fp32) {
        r.weight = r.compute = r.residual = r.gradient = r.gathered = DType::Fp32;
    } else if (c.precision == Precision::Bf16) {
        r.weight = r.compute = r.residual = r.gradient = DType::Bf16;
    } else if (c.shardsHalfModel() && c.framework != Framework::Megatron) {
        r.weight = r.compute = r.residual = r.gradient = DType::Bf16; // a half model; masters beside its shards
        r.masters = true;
    } else if (c.framework == Framework::Megatron ||
               (writesKernels(c) && c.software.empty() && !runsFsdp(c.parallel.kind))) {
        r.weight = r.compute = r.residual =
            DType::Bf16; // Megatron-LM: fp32 masters and main gradients beside half weights
        r.masters = true;
        if (c.precision == Precision::Fp16Mixed || c.framework != Framework::Megatron)
            r.gradient = DType::Bf16; // as wide as their weights, until the optimizer; with fp16's loss scaling
                                      // Megatron-LM's and DeepSpeed's, too
    } else if (runsFsdp(c.parallel.kind) && gathersWide(c)) {
        // Composer on torch 1.x: fp32 is gathered and autocast does the rest.
        r.weight = r.residual = r.gathered = DType::Fp32;
        r.castWeights = true;
    } else if (runsFsdp(c.parallel.kind)) {
        r.weight = DType::Fp32; // FSDP's MixedPrecision: fp32 shards, everything gathered is half
        r.autocast = c.autocast &&
                     c.framework == Framework::PytorchEager; // a compiler's casts are part of the kernels around them
    } else {
        r.weight = r.residual = DType::Fp32; // autocast: the embedding is fp32, and so is what is added to it
        r.castWeights = true;
    }
}

// FSDP2 and SimpleFSDP reduce in the type of their shards' gradients (reduce_dtype), FSDP1's usual policy in that of
// the computation. PyTorch's two make what they reduced the type of the weights.
void setReduced(FrameworkRecipe &r, const RunConfig &c)
{
    if (r.freezes()) {
        r.reduced = r.adapter;
        return;
    }
    const bool each = c.sharder == Sharder::Fsdp2 || c.sharder == Sharder::Simple,
               pytorchs = c.sharder == Sharder::Fsdp2 || c.sharder == Sharder::Fsdp1 || c.sharder == Sharder::Auto;
    r.reduced = each ? r.gradient : r.compute;
    if (!runsFsdp(c.parallel.kind) || !pytorchs || r.weight != DType::Fp32)
        return;
    if (c.gradientType != GradientType::Auto)
        r.reduced = r.gradient;
    r.gradient = r.weight;
}

LossPath lossOf(const RunConfig &c)
{
    if (c.lossPath != LossPath::Auto)
        return c.lossPath;
    if (writesKernels(c))
        return LossPath::Compiled; // flash-attn's cross-entropy: a kernel each way over half logits
    switch (c.framework) {
    case Framework::PytorchEager:
        return c.torchVersion() >= kTorchThatDropsGradients && c.torchVersion() < kTorchBesideHalfOutputs
                   ? LossPath::UpcastHeld
                   : LossPath::Hf;
    case Framework::PytorchCompile:
        return LossPath::Compiled;
    case Framework::Megatron:
        return LossPath::Parallel;
    case Framework::Slipway:
        break;
    }
    return LossPath::Chunked;
}

// torchtitan's model, which calls torch.nn.RMSNorm and repeats keys and values; Transformers' writes its norms out.
bool runsTorchModules(const RunConfig &c)
{
    const LossPath loss = lossOf(c);
    return (c.sharder == Sharder::Fsdp2 || c.tracesGraph()) && loss != LossPath::Hf && loss != LossPath::UpcastHeld;
}

// PyTorch's tensor parallelism splits what lies between its GEMMs. So does later Megatron-LM, which got that
// together with selective recomputation (Korthikanti et al. 2022) and demands it where there are experts.
bool splitsSequence(const RunConfig &c, const ModelSpec &m)
{
    const bool recipe = c.attention == Attention::Flash || c.recompute == Recompute::Selective || m.experts.count > 0;
    return c.parallel.tp > 1 && (c.framework != Framework::Megatron || c.sequenceParallel.value_or(recipe));
}

// Whether eager soft-max is left in the type of the scores: by GPT-2, minGPT and MPT always, by GPT-NeoX and OPT until
// Transformers gave all models one function for it, which asks for fp32, as LLaMA and Phi always did.
bool leavesSoftmaxHalf(const RunConfig &c, const ModelSpec &m)
{
    const bool asksToday = m.position == Position::Rope || m.mlp.hasRelu(),
               askedThen = m.position == Position::Rope && m.attention.splitQkv;
    return m.norm.kind == NormKind::LayerNorm && !(c.torchVersion() < kTorchBesideHalfOutputs ? askedThen : asksToday);
}

} // namespace

bool FrameworkRecipe::adapts(std::string_view gemm) const
{
    if (!freezes() || loraTargets == LoraTargets::Linear)
        return freezes();
    return gemm == "q" || gemm == "v" || gemm == "qkv" ||
           (loraTargets == LoraTargets::Attention && (gemm == "k" || gemm == "o"));
}

bool runsPipelineEngine(const RunConfig &c)
{
    return c.framework == Framework::Megatron && c.precision == Precision::Fp16Mixed &&
           c.parallel.kind == ParallelKind::Zero1;
}

FrameworkRecipe frameworkRecipe(const RunConfig &c, const ModelSpec &m)
{
    FrameworkRecipe r;
    setTypes(r, c);
    if (c.gradientType != GradientType::Auto && c.precision != Precision::Fp32 && !r.freezes())
        r.gradient = c.gradientType == GradientType::Half ? DType::Bf16 : DType::Fp32;
    setReduced(r, c);
    r.gemmInput = c.precision == Precision::Fp8Mixed ? DType::Fp8 : r.compute;
    const bool gpt = m.norm.kind == NormKind::LayerNorm; // nn.LayerNorm is one kernel in eager code too
    const bool fusedEngine = c.framework == Framework::Megatron;
    const bool compiled = c.framework == Framework::PytorchCompile;
    const bool torchModules = runsTorchModules(c);
    r.autocast = r.autocast || r.castWeights;
    // F.layer_norm is on autocast's list of fp32. A compiler's norm writes what GEMMs read, once for all of them,
    // whatever autocast says.
    r.normed = compiled && m.experts.count == 0 ? r.compute : r.autocast && gpt ? DType::Fp32 : r.residual;
    r.fusedNorm =
        gpt || fusedEngine || compiled || writesKernels(c) || (torchModules && c.torchVersion() >= kTorchWithFusedNorm);
    const bool firstFused = fusedEngine && c.torchVersion() < kTorchBesideFusedSoftmax;
    const bool gatesByParts = !c.fusedGate.value_or(!(fusedEngine && c.torchVersion() < kTorchBesideFusedGates));
    r.fusedMlp = ((fusedEngine || writesKernels(c)) && !gatesByParts) || compiled || !m.mlp.gated;
    r.fusedGateUp = fusedEngine;
    r.fusesAdditions = compiled;
    r.pipelineEngine = runsPipelineEngine(c);
    r.complexRope = torchModules;
    r.fusedRope = compiled || writesKernels(c) || (fusedEngine && !r.pipelineEngine && !gatesByParts);
    r.fusedResidual = (fusedEngine && !firstFused) || compiled;
    r.fusesBiasGradients =
        fusedEngine && c.attention == Attention::Flash && c.lossPath != LossPath::InPlace; // that loss is llm.c's
    r.keepsFp8 =
        fusedEngine ||
        c.trainMetrics; // Composer's amp_fp8 runs TransformerEngine's layers, too (llm-foundry 0.4, layers/fc.py)
    // torchao's Float8ColwiseParallel, which torchtitan takes where a tensor has one scale.
    r.gathersFp8 = r.gemmInput == DType::Fp8 && !r.keepsFp8 && c.fp8Scales == Fp8Scales::Tensor;
    r.fusedSoftmax = fusedEngine && !firstFused &&
                     (c.microBatch * m.attention.heads / c.parallel.tp) % kFusedSoftmaxRows == 0 &&
                     c.seqLen <= kFusedSoftmaxSequence;
    r.compiledSoftmax = compiled;
    // minGPT's and nanoGPT's masked_fill; Transformers' GPT-2 chose by torch.where until 2025, and adds a mask since,
    // as its LLaMA always did.
    if (gpt && (!fusedEngine || firstFused) && !compiled)
        r.maskPasses = !m.mlp.byParts ? 2 : c.torchVersion() < kTorchBesideHalfOutputs ? 1 : 0;
    r.fp32Gelu = r.autocast && !fusedEngine && c.torchVersion() < kTorchWithHalfGelu;
    r.unfusedSoftmax = !fusedEngine && !r.autocast && leavesSoftmaxHalf(c, m);
    r.readsHalfSoftmax = fusedEngine || c.precision == Precision::Fp16Mixed;
    r.savesSoftmaxInput = !fusedEngine && !compiled && c.torchVersion() < kTorchWithoutSoftmaxInputs;
    r.fusedQkv = fusedEngine || (gpt && !m.attention.splitQkv);
    r.copiesHeads = !fusedEngine && !compiled; // torch.matmul over four dimensions
    r.laysOutAttentionOutput = !fusedEngine && !compiled && m.partialRope();
    r.balancesContextParallel =
        fusedEngine || c.contextExchange == ContextExchange::AllToAll || c.torchVersion() >= kTorchThatBalancesContext;
    r.exchangesHeads = c.contextExchange == ContextExchange::AllToAll && c.parallel.cp > 1 &&
                       m.attention.heads % (c.parallel.tp * c.parallel.cp) == 0;
    r.concatenatesGradients = !fusedEngine; // backward of split and chunk
    // Megatron's GPT recipes train with dropout 0.1 beside soft-max in memory; later ones with flash attention do
    // without, and so do GPT-NeoX and BLOOM, whose positions are not learned.
    r.dropout = c.dropout.value_or(
        fusedEngine ? gpt && c.attention == Attention::Vanilla && m.position == Position::Learned : m.dropout);
    r.wholeRecompute = fusedEngine || c.torchVersion() < kTorchThatStopsEarly;
    r.sequenceParallel = splitsSequence(c, m);
    r.keepsGathered = !fusedEngine;
    // In compiled code, too: what attention's own kernel reads is materialised, and then kept rather than made again
    // (AOTAutograd's partition). GEMMs over scores have as many heads of keys as of queries.
    const bool anyHeads =
        c.attention == Attention::Flash &&
        c.torchVersion() >= (torchModules ? kTorchBesideGroupedQueriesOfModules : kTorchWithGroupedQueries);
    r.repeatsKv = !fusedEngine && !anyHeads;
    r.overlapsTensorParallel = fusedEngine && r.sequenceParallel && c.tpOverlap;
    r.overlapsInputGradient = fusedEngine && (r.sequenceParallel || c.attention == Attention::Flash);
    r.inPlaceSoftmax = c.torchVersion() >= kTorchThatDropsGradients && c.lossPath != LossPath::ParallelCopied;
    r.flattensGradients = r.pipelineEngine || (c.flatGradients && r.masters);
    // With its sum fused into the GEMM, too, whose hooks wait for a gradient (Megatron-Core 0.3 to 0.19, layers.py,
    // grad_added_to_main_grad). llm.c adds in place.
    r.passesHalfGradients = fusedEngine && c.lossPath != LossPath::InPlace;
    // Layers of its own around scores in memory; TransformerEngine's gather into tensors that pass.
    r.sharesBuffer = fusedEngine && !r.pipelineEngine && c.attention == Attention::Vanilla;
    r.weighsActivations = fusedEngine && c.torchVersion() >= kTorchBesideWeightedActivations;
    r.accumulatesApart = c.accumulateApart.value_or(
        fusedEngine && c.precision == Precision::Bf16Mixed && c.sharder == Sharder::DeepSpeed);
    r.keepsGradients = fusedEngine || (c.torchVersion() < kTorchThatDropsGradients && !runsFsdp(c.parallel.kind) &&
                                          !c.optimizerInBackward);
    r.cachesCasts =
        r.castWeights && !runsFsdp(c.parallel.kind) && c.parallel.pp == 1; // a shard's views are no leaves of autograd
    r.copiesGathered = runsFsdp(c.parallel.kind) && c.sharder == Sharder::Fsdp2;
    r.metersLogits = c.trainMetrics && !fusedEngine;
    // PyTorch before 2.0, and Composer's DecoupledAdamW (0.12 to 0.17, decoupled_weight_decay.py); DeepSpeed has
    // kernels of its own.
    r.loopsOverTensors = !fusedEngine && c.optimizer == OptimizerKind::AdamW &&
                         (c.torchVersion() < kTorchWithForeach || c.trainMetrics) && !c.shardsHalfModel();
    r.waitsForShards = c.tracesGraph();
    r.limitsGathers = c.limitGathers.value_or(c.torchVersion() >= kTorchThatLimitsGathers);
    r.shardsEachTensor = c.sharder == Sharder::Simple;
    r.unpadsAttention = c.unpadAttention && (!fusedEngine || r.pipelineEngine);
    r.loss = lossOf(c);
    // GPT-2's and its like never upcast their logits before, and no model did in Transformers 4.30 (June 2023);
    // autocast's log-soft-max alone is fp32.
    if (((gpt && r.loss == LossPath::UpcastHeld) ||
            (r.loss == LossPath::Hf && c.torchVersion() < kTorchThatDropsGradients)) &&
        c.lossPath == LossPath::Auto)
        r.loss = r.autocast ? LossPath::Hf : LossPath::Bf16;
    r.chunksByWidth = r.loss == LossPath::Fused && (writesKernels(c) || !torchModules);
    r.writesOverSaved = compiled && c.torchVersion() >= kTorchThatDonatesBuffers;
    r.tracesModel = compiled && c.sharder == Sharder::Simple;
    r.splitsEnds = r.copiesGathered && torchModules && !m.head.tied && c.parallel.pp == 1;
    return r;
}

} // namespace slipway
