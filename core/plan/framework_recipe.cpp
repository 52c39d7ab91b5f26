// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/framework_recipe.h"

#include "plan/data_parallel.h"

namespace slipway {

namespace {

// Megatron-LM's fused softmax processes four rows of scores per block, of at most 4,096 keys. If four does not divide
// the number of rows, or rows are longer, it runs PyTorch's softmax (fused_softmax.py, is_kernel_available,
// Megatron-Core 0.3 to 0.19).
constexpr std::int64_t kFusedSoftmaxRows = 4, kFusedSoftmaxSequence = 4096;

// Code such as nanotron, InternEvo and lit-gpt's pre-training: eager PyTorch with kernels of flash-attn, apex, xformers
// or Liger.
bool writesKernels(const RunConfig &c) { return c.framework == Framework::PytorchEager && c.simulated.fusedKernels; }

// PEFT keeps adapters in fp32 with a 16-bit model, which autocast runs (autocast_adapter_dtype; 0.13 to 0.21,
// tuners/tuners_utils.py, cast_adapter_dtype). Frozen weights need no master weights. They are loaded in 16 bits,
// unless the framework loads them in fp32.
void setAdapterTypes(FrameworkRecipe &r, const RunConfig &c)
{
    const bool mixed = c.precisionOrMixed() != Precision::Fp32 && c.precisionOrMixed() != Precision::Bf16;
    r.weight = r.compute = r.residual = c.precisionOrMixed() == Precision::Fp32 ? DType::Fp32 : DType::Bf16;
    r.gathered = r.weight;
    r.adapter = mixed && !c.simulated.halfAdapters ? DType::Fp32 : r.compute;
    r.gradient = r.adapter;
    r.autocast = mixed && c.framework == Framework::PytorchEager;
    r.loraRank = c.loraRank;
    r.loraTargets = c.loraTargets;
    r.adapterDropout = c.simulated.dropout.value_or(false);
    r.frozen = c.frozenWeightsOrWhole();
    if (!mixed || r.frozen != FrozenWeights::Fp32)
        return;
    r.weight = DType::Fp32; // as setTypes() has it for trained weights in mixed precision
    if (!runsFsdp(c.parallel.kind)) {
        r.residual = DType::Fp32;
        r.castWeights = true;
    }
}

void setTypes(FrameworkRecipe &r, const RunConfig &c)
{
    if (c.trainsAdapters()) {
        setAdapterTypes(r, c);
    } else if (c.precisionOrMixed() == Precision::Fp32) {
        r.weight = r.compute = r.residual = r.gradient = r.gathered = DType::Fp32;
    } else if (c.precisionOrMixed() == Precision::Bf16) {
        r.weight = r.compute = r.residual = r.gradient = DType::Bf16;
    } else if (c.simulated.hasHalfPrecisionModel() && c.framework != Framework::Megatron) {
        r.weight = r.compute = r.residual = r.gradient = DType::Bf16; // a 16-bit model; its shards have master weights
        r.masters = true;
    } else if (c.framework == Framework::Megatron ||
               (writesKernels(c) && c.software.empty() && !runsFsdp(c.parallel.kind))) {
        r.weight = r.compute = r.residual =
            DType::Bf16; // Megatron-LM: 16-bit weights, fp32 master weights and main gradients
        r.masters = true;
        if (c.precisionOrMixed() == Precision::Fp16Mixed || c.framework != Framework::Megatron)
            r.gradient = DType::Bf16; // as wide as their weights, until the optimizer; with fp16's loss scaling
                                      // Megatron-LM's and DeepSpeed's, too
    } else if (runsFsdp(c.parallel.kind) && c.simulated.gatherType == GradientType::Fp32) {
        // Composer on torch 1.x: fp32 weights are gathered, and autocast casts them.
        r.weight = r.residual = r.gathered = DType::Fp32;
        r.castWeights = true;
    } else if (runsFsdp(c.parallel.kind)) {
        r.weight = DType::Fp32; // FSDP's MixedPrecision: fp32 shards, 16-bit gathered weights
        r.autocast =
            c.simulated.autocast && c.framework == Framework::PytorchEager; // a compiler fuses casts into other kernels
    } else {
        r.weight = r.residual = DType::Fp32; // autocast: the embedding is fp32, and so are the sums with it
        r.castWeights = true;
    }
}

// FSDP2 and SimpleFSDP reduce in the type of their shards' gradients (reduce_dtype). FSDP1's usual policy reduces in
// the type of the computation. The two of PyTorch cast the result to the type of the weights.
void setReduced(FrameworkRecipe &r, const RunConfig &c)
{
    if (r.freezesWeights()) {
        r.reduced = r.adapter;
        return;
    }
    const bool each = c.simulated.sharder == Sharder::Fsdp2 || c.simulated.sharder == Sharder::Simple,
               pytorchs = c.simulated.sharder == Sharder::Fsdp2 || c.simulated.sharder == Sharder::Fsdp1 ||
                          c.simulated.sharder == Sharder::Auto;
    r.reduced = each ? r.gradient : r.compute;
    if (!runsFsdp(c.parallel.kind) || !pytorchs || r.weight != DType::Fp32)
        return;
    if (c.simulated.gradientType != GradientType::Auto)
        r.reduced = r.gradient;
    r.gradient = r.weight;
}

LossPath lossOf(const RunConfig &c)
{
    if (c.simulated.lossPath != LossPath::Auto)
        return c.simulated.lossPath;
    if (writesKernels(c))
        return LossPath::Compiled; // flash-attn's cross-entropy: one kernel forward and one backward, over 16-bit
                                   // logits
    switch (c.framework) {
    case Framework::PytorchEager:
        return c.simulated.olderModels && c.simulated.torchChanges.upcastsLogits ? LossPath::UpcastHeld : LossPath::Hf;
    case Framework::PytorchCompile:
        return LossPath::Compiled;
    case Framework::Megatron:
        return LossPath::Parallel;
    case Framework::Slipway:
        break;
    }
    return LossPath::Chunked;
}

// PyTorch's tensor parallelism shards the activations between its GEMMs. Later Megatron-LM does, too. It got this
// together with selective recomputation (Korthikanti et al. 2022), and requires it for experts.
bool splitsSequence(const RunConfig &c, const ModelSpec &m)
{
    const bool recipe = !c.simulated.olderRecipe || c.recompute == Recompute::Selective || m.experts.count > 0;
    return c.parallel.tp > 1 && (c.framework != Framework::Megatron || c.simulated.sequenceParallel.value_or(recipe));
}

// Whether eager softmax keeps the type of the scores. GPT-2, minGPT and MPT always do. GPT-NeoX and OPT did until
// Transformers gave all models one function for it. This function uses fp32, as LLaMA and Phi always did.
bool leavesSoftmaxHalf(const RunConfig &c, const ModelSpec &m)
{
    const bool asksToday = m.position == Position::Rope || m.mlp.hasRelu(),
               askedThen = m.position == Position::Rope && m.attention.splitQkv;
    return m.norm.kind == NormKind::LayerNorm && !(c.simulated.olderModels ? askedThen : asksToday);
}

// Recomputed activations need a kernel of their own. Gated MLPs and adapters have no such epilogues.
bool activatesInGemm(const RunConfig &c, const ModelSpec &m)
{
    return c.simulated.gemmEpilogues == GemmEpilogues::Activation && !m.mlp.gated && !m.mlp.hasRelu() &&
           !c.recomputes(RecomputeOp::Activation) && !c.trainsAdapters();
}

// What decides most of a recipe: the kind of code around the model, and the model's family.
struct Code {
    const RunConfig &c;
    const ModelSpec &m;
    bool fused = c.framework == Framework::Megatron; // hand-fused modules, as the engine of the profile says
    bool compiled = c.framework == Framework::PytorchCompile;
    bool gpt = m.norm.kind == NormKind::LayerNorm;           // nn.LayerNorm is one kernel also in eager code
    bool unfusedScores = fused && !c.simulated.fusedSoftmax; // Megatron-LM's modules before it had such kernels
    bool gatesByParts = !c.simulated.fusedGate.value_or(true);
};

void setAllTypes(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    setTypes(r, c);
    if (c.simulated.gradientType != GradientType::Auto && c.precisionOrMixed() != Precision::Fp32 &&
        !r.freezesWeights())
        r.gradient = c.simulated.gradientType == GradientType::Half ? DType::Bf16 : DType::Fp32;
    setReduced(r, c);
    r.gemmInput = c.precisionOrMixed() == Precision::Fp8Mixed ? DType::Fp8 : r.compute;
    r.autocast = r.autocast || r.castWeights;
    // F.layer_norm is on autocast's list of fp32. A compiled norm writes the type that GEMMs read, once for all of
    // them, whatever autocast says.
    r.fusedAddNorm = c.simulated.fusedAddNorm;
    r.normed = r.fusedAddNorm || (code.compiled && code.m.experts.count == 0) ? r.compute
               : r.autocast && code.gpt                                       ? DType::Fp32
                                                                              : r.residual;
    r.keepsFp8 =
        code.fused ||
        c.simulated
            .trainMetrics; // Composer's amp_fp8 also runs TransformerEngine's layers (llm-foundry 0.4, layers/fc.py)
    // This is torchao's Float8ColwiseParallel, which torchtitan uses if a tensor has one scale.
    r.gathersFp8 = r.gemmInput == DType::Fp8 && !r.keepsFp8 && c.simulated.fp8Scales == Fp8Scales::Tensor;
}

void setKernels(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    const ModelSpec &m = code.m;
    r.pipelineEngine = runsPipelineEngine(c);
    r.fusedNorm = code.gpt || code.fused || code.compiled || writesKernels(c) || r.fusedAddNorm ||
                  (c.simulated.torchModules && c.simulated.torchChanges.fusedRmsNorm);
    r.fusedMlp = ((code.fused || writesKernels(c)) && !code.gatesByParts) || code.compiled || !m.mlp.gated;
    r.fusedGateUp = code.fused;
    r.fusesAdditions = code.compiled;
    r.wideNorm = m.norm.fp32Weight || (c.simulated.torchModules && c.simulated.torchChanges.wideRmsNorm);
    r.complexRope = c.simulated.torchModules;
    r.fusedRope = code.compiled || writesKernels(c) || (code.fused && !r.pipelineEngine && !code.gatesByParts);
    r.fusedResidual = (code.fused && !code.unfusedScores) || code.compiled;
    // InPlace is llm.c's loss.
    r.fusesBiasGradients = c.simulated.gemmEpilogues != GemmEpilogues::None ||
                           (code.fused && !c.simulated.olderRecipe && c.simulated.lossPath != LossPath::InPlace);
    r.activatesInGemm = activatesInGemm(c, m);
    r.fp32Gelu = r.autocast && !code.fused && !c.simulated.torchChanges.halfGelu;
    // Megatron's older GPT recipes train with dropout 0.1. Later recipes train without it, and so do GPT-NeoX and
    // BLOOM, whose positions are not learned.
    r.dropout = c.simulated.dropout.value_or(
        code.fused ? code.gpt && c.simulated.olderRecipe && m.position == Position::Learned : m.dropout);
    r.scalesActivations = code.fused && c.simulated.weightedExperts;
}

// Scores in memory: their scale, mask and softmax.
void setScores(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    const ModelSpec &m = code.m;
    r.fusedSoftmax = code.fused && c.simulated.fusedSoftmax &&
                     (c.microBatch * m.attention.heads / c.parallel.tp) % kFusedSoftmaxRows == 0 &&
                     c.seqLen <= kFusedSoftmaxSequence;
    r.compiledSoftmax = code.compiled;
    // minGPT and nanoGPT use masked_fill. Transformers' GPT-2 used torch.where until 2025. Since then it adds a mask,
    // as its LLaMA always did.
    if (code.gpt && (!code.fused || code.unfusedScores) && !code.compiled)
        r.maskPasses = !m.mlp.byParts ? 2 : c.simulated.olderModels ? 1 : 0;
    r.unfusedSoftmax = !code.fused && !r.autocast && leavesSoftmaxHalf(c, m);
    r.readsHalfSoftmax = code.fused || c.precisionOrMixed() == Precision::Fp16Mixed;
    r.savesSoftmaxInput = !code.fused && !code.compiled && !c.simulated.torchChanges.keepsSoftmaxOutput;
    r.copiesHeads = !code.fused && !code.compiled; // torch.matmul over four dimensions
}

void setAttention(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    const ModelSpec &m = code.m;
    const bool packed = c.simulated.packedQkv;
    r.fusedQkv = code.fused || packed || (code.gpt && !m.attention.splitQkv);
    // GPT-NeoX does, and LitGPT for all models, which joins rotated and other values whether there are others or not.
    // Compiled kernels do the same.
    r.rotatesApart = packed ? !r.fusedRope || code.compiled : !r.fusedRope && !m.mlp.gated;
    r.laysOutAttentionOutput = !code.fused && !code.compiled && (packed ? r.rotatesApart : m.partialRope());
    // Backward of split and chunk. flash-attn's packed kernel has as many keys as queries.
    r.concatenatesGradients = !code.fused && !(packed && m.attention.kvHeads == m.attention.heads);
    // Also in compiled code: the input of attention's own kernel is written to memory, and kept rather than recomputed
    // (AOTAutograd's partition). GEMMs over scores have as many key-value heads as query heads.
    r.repeatsKv = c.simulated.repeatKv.value_or(!code.fused && c.attentionOrFlash() != Attention::Flash);
    r.masksDensely = c.simulated.denseMask && c.attentionOrFlash() == Attention::Flash;
    r.unpadsAttention = c.simulated.unpadAttention && (!code.fused || r.pipelineEngine);
    r.balancesContextParallel =
        code.fused || c.contextExchange == ContextExchange::AllToAll || c.simulated.torchChanges.balancesContext;
    r.exchangesHeads = c.contextExchange == ContextExchange::AllToAll && c.parallel.cp > 1 &&
                       m.attention.heads % (c.parallel.tp * c.parallel.cp) == 0;
}

void setTensorParallelism(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    r.sequenceParallel = splitsSequence(c, code.m);
    r.keepsGathered = !code.fused;
    r.overlapsTensorParallel = code.fused && r.sequenceParallel && c.simulated.tpOverlap;
    r.overlapsInputGradient = code.fused && (r.sequenceParallel || !c.simulated.olderRecipe);
    // TransformerEngine's layers gather into temporary tensors, Megatron-LM's own ones into its buffer.
    r.buffersGathered = code.fused && !r.pipelineEngine && c.simulated.olderRecipe;
    r.buffersScores = code.fused && !r.pipelineEngine && c.attention == Attention::Vanilla;
}

// Autograd, gradients and the optimizer.
void setGradients(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    r.wholeRecompute =
        code.fused || !c.simulated.checkpointEarlyStop.value_or(true) || !c.simulated.torchChanges.stopsEarly;
    r.writesOverSaved = code.compiled && c.simulated.torchChanges.donatesBuffers;
    r.flattensGradients = r.pipelineEngine || (c.simulated.flatGradients && r.masters);
    // This holds also if the sum is fused into the GEMM, whose hooks expect a gradient (Megatron-Core 0.3 to 0.19,
    // layers.py, grad_added_to_main_grad). llm.c adds in place.
    r.passesHalfGradients = code.fused && c.simulated.lossPath != LossPath::InPlace;
    r.accumulatesInFp32 = c.simulated.accumulateInFp32.value_or(
        code.fused && c.precisionOrMixed() == Precision::Bf16Mixed && c.simulated.sharder == Sharder::DeepSpeed);
    r.keepsGradients = code.fused || (!c.simulated.torchChanges.dropsGradients && !runsFsdp(c.parallel.kind) &&
                                         !c.optimizerInBackward);
    // DeepSpeed and Gemini have buffers for gradients of their own, and keep the gradients of no step.
    const bool hasOwnBuffers = c.simulated.sharder == Sharder::DeepSpeed || c.simulated.sharder == Sharder::Gemini;
    r.zeroesLate = c.simulated.lateZeroGrad && c.simulated.torchChanges.dropsGradients && !r.keepsGradients &&
                   !hasOwnBuffers && !c.optimizerInBackward && c.parallel.pp == 1;
    // PyTorch before 2.0 and Composer's DecoupledAdamW (0.12 to 0.17, decoupled_weight_decay.py) update tensor by
    // tensor. DeepSpeed has its own kernels.
    r.usesForLoopOptimizer = !code.fused && c.optimizer == OptimizerKind::AdamW &&
                             (!c.simulated.torchChanges.updatesInLists || c.simulated.trainMetrics) &&
                             !c.simulated.hasHalfPrecisionModel();
}

void setSharding(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    // Views of a shard are not leaves of autograd. Autocast keeps no copies of weights without gradients (PyTorch 2.11,
    // ATen, cached_cast).
    r.cachesCasts = r.castWeights && c.simulated.autocastCache && !runsFsdp(c.parallel.kind) && c.parallel.pp == 1 &&
                    !r.freezesWeights();
    r.copiesGathered = runsFsdp(c.parallel.kind) && c.simulated.sharder == Sharder::Fsdp2;
    r.waitsForShards = c.simulated.tracesGraph();
    r.limitsGathers = c.simulated.limitGathers.value_or(c.simulated.torchChanges.limitsGathers);
    const bool isFsdp1 = c.simulated.sharder == Sharder::Fsdp1 || c.simulated.sharder == Sharder::Auto;
    r.prefetchesBackward = c.simulated.backwardPrefetch.value_or(true) || !isFsdp1;
    r.shardsEachTensor = c.simulated.sharder == Sharder::Simple;
    r.tracesModel = code.compiled && c.simulated.sharder == Sharder::Simple;
    r.splitsEnds = r.copiesGathered && c.simulated.splitUnits && !code.m.head.tied && c.parallel.pp == 1;
}

void setLoss(FrameworkRecipe &r, const Code &code)
{
    const RunConfig &c = code.c;
    r.loss = lossOf(c);
    r.logitsCopy = c.simulated.logitsCopy;
    r.inPlaceSoftmax = c.simulated.torchChanges.softmaxInPlace && c.simulated.lossPath != LossPath::ParallelCopied;
    r.computesLogitMetrics = c.simulated.trainMetrics && !code.fused;
    // Before, GPT-2 and similar models never upcast their logits, and in Transformers 4.30 (June 2023) no model did.
    // Only autocast's log-softmax is in fp32.
    if (((code.gpt && r.loss == LossPath::UpcastHeld) ||
            (r.loss == LossPath::Hf && !c.simulated.torchChanges.upcastsLogits)) &&
        c.simulated.lossPath == LossPath::Auto)
        r.loss = r.autocast ? LossPath::Hf : LossPath::Bf16;
    r.chunksByWidth = r.loss == LossPath::Fused && (writesKernels(c) || !c.simulated.torchModules);
}

} // namespace

bool FrameworkRecipe::hasAdapter(std::string_view gemm) const
{
    if (!freezesWeights() || loraTargets == LoraTargets::Linear)
        return freezesWeights();
    return gemm == "q" || gemm == "v" || gemm == "qkv" ||
           (loraTargets == LoraTargets::Attention && (gemm == "k" || gemm == "o"));
}

bool runsPipelineEngine(const RunConfig &c)
{
    return c.framework == Framework::Megatron && c.precisionOrMixed() == Precision::Fp16Mixed &&
           c.parallel.kind == ParallelKind::Zero1;
}

FrameworkRecipe frameworkRecipe(const RunConfig &c, const ModelSpec &m)
{
    const Code code{.c = c, .m = m};
    FrameworkRecipe r;
    setAllTypes(r, code);
    setKernels(r, code);
    setScores(r, code);
    setAttention(r, code);
    setTensorParallelism(r, code);
    setGradients(r, code);
    setSharding(r, code);
    setLoss(r, code);
    return r;
}

} // namespace slipway
