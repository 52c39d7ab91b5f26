// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rows. Ranges keep every product of settings that the planner forms within 64 bits together with `validate`.
#include "config/settings.h"

namespace slipway {

namespace {

template<typename E>
EnumRef enumRef(E &value)
{
    return {.value = &value,
        .names = EnumNames<E>::names,
        .get = [](const void *at) { return static_cast<std::size_t>(*static_cast<const E *>(at)); },
        .set = [](void *at, std::size_t index) { *static_cast<E *>(at) = static_cast<E>(index); }};
}

using Group = SettingGroup;
using Type = SettingType;

constexpr double kManyRanks = 65536;
constexpr double kManySteps = 1e12;

const std::array kSettings = std::to_array<Setting>({
    {"model", Group::Model, Type::Text,
        "preset, public model, size such as 700M, FILE.yaml or a Hugging Face config.json", "NAME",
        [](RunConfig &c) -> FieldRef { return &c.model.name; }},
    {"layers", Group::Model, Type::Integer, "transformer blocks", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.layers; }, 1, 1000},
    {"hidden", Group::Model, Type::Integer, "width of the residual stream", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.hidden; }, 1, 131072},
    {"heads", Group::Model, Type::Integer, "attention heads", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.heads; }, 1, 1024},
    {"kv_heads", Group::Model, Type::Integer, "key-value heads, fewer than heads for grouped-query attention", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.kvHeads; }, 1, 1024},
    {"ffn", Group::Model, Type::Integer, "inner width of the MLP", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.ffn; }, 1, 1 << 20},
    {"vocab", Group::Model, Type::Integer, "rows of the embedding", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.vocab; }, 2, 10'000'000},
    {"tied", Group::Model, Type::Bool, "the head shares the embedding's weights", "BOOL",
        [](RunConfig &c) -> FieldRef { return &c.model.tied; }},
    {"experts", Group::Model, Type::Integer, "experts of each MLP, 0 for a dense model", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.experts; }, 0, 4096},
    {"experts_per_token", Group::Model, Type::Integer, "experts that each token passes through", "N",
        [](RunConfig &c) -> FieldRef { return &c.model.expertsPerToken; }, 0, 4096},

    {"gpu", Group::Hardware, Type::Text, "card of the catalogue, or cpu for this machine's processor", "NAME",
        [](RunConfig &c) -> FieldRef { return &c.gpu; }},
    {"gpus", Group::Hardware, Type::Integer, "ranks in all, also on the CPU", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.gpus; }, 1, kManyRanks},
    {"gpus_per_node", Group::Hardware, Type::Integer, "cards of a node", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.gpusPerNode; }, 1, 1024},
    {"network_gbps", Group::Hardware, Type::Number, "Gbit/s of a whole node's network; else the catalogue's", "N",
        [](RunConfig &c) -> FieldRef { return &c.networkGbps; }, 0.1, 1e6},
    {"memory_gib", Group::Hardware, Type::Number, "cap in place of the card's own memory, in GiB", "N",
        [](RunConfig &c) -> FieldRef { return &c.memoryGib; }, 0.001, 1e6},

    {"parallel", Group::Parallelism, Type::Choice, "how ranks share the work", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.parallel.kind); }},
    {"tp", Group::Parallelism, Type::Integer, "tensor-parallel ranks", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.tp; }, 1, kManyRanks},
    {"pp", Group::Parallelism, Type::Integer, "pipeline stages", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.pp; }, 1, kManyRanks},
    {"virtual_stages", Group::Parallelism, Type::Integer,
        "parts of the model that a pipeline stage holds, above 1 for interleaving", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.virtualStages; }, 1, 1024},
    {"cp", Group::Parallelism, Type::Integer, "context-parallel ranks", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.cp; }, 1, kManyRanks},
    {"ep", Group::Parallelism, Type::Integer, "expert-parallel ranks", "N",
        [](RunConfig &c) -> FieldRef { return &c.parallel.ep; }, 1, kManyRanks},

    {"micro_batch", Group::Step, Type::Integer, "sequences that a rank takes at once", "N",
        [](RunConfig &c) -> FieldRef { return &c.microBatch; }, 1, 65536},
    {"seq_len", Group::Step, Type::Integer, "tokens of a sequence", "N",
        [](RunConfig &c) -> FieldRef { return &c.seqLen; }, 1, 1 << 20},
    {"grad_accum", Group::Step, Type::Integer, "micro-batches whose gradients are summed before a step", "N",
        [](RunConfig &c) -> FieldRef { return &c.gradAccum; }, 1, 1e6},
    {"precision", Group::Step, Type::Choice, "mixed keeps fp32 masters beside", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.precision); }},
    {"attention", Group::Step, Type::Choice, "flash never writes the scores to memory, vanilla does", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.attention); }},
    {"grad_reduce", Group::Step, Type::Choice,
        "when ranks sum gradients: after every micro-batch (least memory) or once a step (no_sync)", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.gradReduce); }},
    {"recompute", Group::Step, Type::Choice, "what the backward pass computes again to save memory", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.recompute); }},
    {"recompute_ops", Group::Step, Type::Texts,
        "what selective recomputation brings back: attention, norm, activation, rope, linear, linear-alternate, "
        "layer-alternate, experts, communication",
        "OP,OP", [](RunConfig &c) -> FieldRef { return &c.recomputeOps; }},
    {"offload_activations", Group::Step, Type::Bool, "what backward needs waits in the host's memory", "BOOL",
        [](RunConfig &c) -> FieldRef { return &c.offloadActivations; }},
    {"optimizer", Group::Step, Type::Choice, "optimizer and its implementation", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.optimizer); }},
    {"optimizer_in_backward", Group::Step, Type::Bool, "each weight is updated as soon as its gradient is there",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.optimizerInBackward; }},

    {"framework", Group::Framework, Type::Choice, "whose step is planned; a run is always slipway's", "NAME",
        [](RunConfig &c) -> FieldRef { return enumRef(c.framework); }},
    {"torch", Group::Framework, Type::Text, "version of PyTorch that a simulated framework runs on, such as 1.12",
        "VERSION", [](RunConfig &c) -> FieldRef { return &c.torch; }},
    {"attention_kernel", Group::Framework, Type::Choice, "generation of the flash kernel", "NAME",
        [](RunConfig &c) -> FieldRef { return enumRef(c.attentionKernel); }},
    {"autocast", Group::Framework, Type::Bool,
        "also over the half weights that FSDP gathers (Lightning, Accelerate): LayerNorm and soft-max write fp32, each "
        "product casts its input",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.autocast; }},
    {"train_metrics", Group::Framework, Type::Bool,
        "a simulated framework's trainer computes metrics of its own from the logits, cross-entropy and perplexity, as "
        "Composer does",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.trainMetrics; }},
    {"fused_kernels", Group::Framework, Type::Bool,
        "norm, rotation, gate and loss of simulated eager PyTorch are kernels written by hand (flash-attn's, apex', "
        "Liger-Kernel's), and weights half numbers beside fp32 masters unless FSDP shards them",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.fusedKernels; }},
    {"unpad_attention", Group::Framework, Type::Bool,
        "rows that a padding mask leaves are copied together before attention and apart after it (Transformers' flash "
        "attention with a mask)",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.unpadAttention; }},
    {"sharder", Group::Framework, Type::Choice,
        "whose sharding a simulated PyTorch runs; traced and simple: a graph's own collectives, unit by unit (XLA) or "
        "weight by weight (SimpleFSDP), which nothing runs beside",
        "NAME", [](RunConfig &c) -> FieldRef { return enumRef(c.sharder); }},
    {"gradient_as_bucket_view", Group::Framework, Type::Bool,
        "gradients of simulated PyTorch's DDP lie in its buckets, where by default they lie beside them; not while "
        "accumulation skips the sums (no_sync)",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.gradientAsBucketView; }},
    {"reduce_bucket", Group::Framework, Type::Count,
        "gradients that DeepSpeed's ZeRO sums at once (reduce_bucket_size; Lightning has 200M, Transformers' auto the "
        "hidden size's square)",
        "N", [](RunConfig &c) -> FieldRef { return &c.reduceBucket; }, 1, 1e11},
    {"gradient_type", Group::Framework, Type::Choice,
        "type of the gradients that wait for a simulated framework's optimizer, of those that its FSDP reduces", "TYPE",
        [](RunConfig &c) -> FieldRef { return enumRef(c.gradientType); }},
    {"fp8_scales", Group::Framework, Type::Choice,
        "of simulated PyTorch's fp8-mixed (torchao): one for a tensor or one for a row", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.fp8Scales); }},
    {"expert_gemm", Group::Framework, Type::Choice,
        "products of a simulated framework's experts: one kernel for all, or expert after expert", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.expertGemm); }},
    {"expert_capacity", Group::Framework, Type::Number,
        "rows of an expert, in even shares of the tokens: above 1 for a capacity that is filled up or for the busiest "
        "rank, below 1 where tokens are dropped",
        "X", [](RunConfig &c) -> FieldRef { return &c.expertCapacity; }, 0.1, 64},
    {"dropout", Group::Framework, Type::Bool, "dropout in a simulated framework's layers; else as its recipe has it",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.dropout; }},
    {"sequence_parallel", Group::Framework, Type::Bool,
        "Megatron-LM's tensor-parallel ranks split what lies between their products along the sequence, too; else with "
        "flash attention, experts or selective recomputation",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.sequenceParallel; }},
    {"tp_overlap", Group::Framework, Type::Bool,
        "collectives of Megatron-LM's sequence-parallel ranks move chunk by chunk beside their products "
        "(--tp-comm-overlap)",
        "BOOL", [](RunConfig &c) -> FieldRef { return &c.tpOverlap; }},
    {"vocab_multiple", Group::Framework, Type::Integer,
        "Megatron-LM fills the vocabulary up to a multiple of this times tp (--make-vocab-size-divisible-by)", "N",
        [](RunConfig &c) -> FieldRef { return &c.vocabMultiple; }, 1, 65536},
    {"expandable_segments", Group::Framework, Type::Bool, "PyTorch's allocator grows its segments in place", "BOOL",
        [](RunConfig &c) -> FieldRef { return &c.expandableSegments; }},
    {"loss_path", Group::Framework, Type::Choice, "how logits become a loss", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.lossPath); }},
    {"calibration", Group::Framework, Type::Text, "constants that slipway calibrate fitted to own runs, by their name",
        "NAME", [](RunConfig &c) -> FieldRef { return &c.calibration; }},

    {"prices", Group::Cost, Type::Text, "price book: paper, or one of the catalogue", "BOOK",
        [](RunConfig &c) -> FieldRef { return &c.prices; }},
    {"tokens", Group::Cost, Type::Count, "token budget such as 20B; else 20 tokens a parameter", "N",
        [](RunConfig &c) -> FieldRef { return &c.tokens; }, 1, 1e18},
    {"usd_budget", Group::Cost, Type::Number, "dollars in place of a token budget, failures and checkpoints paid",
        "USD", [](RunConfig &c) -> FieldRef { return &c.usdBudget; }, 0.01, 1e12},
    {"scaling_law", Group::Cost, Type::Text, "law behind the expected loss; slipway catalog laws lists them", "LAW",
        [](RunConfig &c) -> FieldRef { return &c.scalingLaw; }},
    {"target_loss", Group::Cost, Type::Number, "nats a token: says what it takes to get there", "X",
        [](RunConfig &c) -> FieldRef { return &c.targetLoss; }, 0.01, 100},
    {"gpu_hours_per_failure", Group::Cost, Type::Number, "assumed for one GPU; a failure stops the whole run", "HOURS",
        [](RunConfig &c) -> FieldRef { return &c.faults.gpuHoursPerFailure; }, 0.1, 1e12},
    {"preemptions_per_day", Group::Cost, Type::Number, "assumed for one node; else 0, and 1 at spot prices", "X",
        [](RunConfig &c) -> FieldRef { return &c.faults.preemptionsPerDay; }, 0, 1440},
    {"restart_time", Group::Cost, Type::Duration, "assumed from a failure to the next step, such as 10m", "TIME",
        [](RunConfig &c) -> FieldRef { return &c.faults.restart; }, 0, 1e7},
    {"checkpoint_interval", Group::Cost, Type::Duration,
        "assumed between checkpoints where checkpoint_every says nothing", "TIME",
        [](RunConfig &c) -> FieldRef { return &c.faults.checkpointInterval; }, 1, 1e7},
    {"checkpoint_time", Group::Cost, Type::Duration,
        "assumed that training stands still for a checkpoint; else its 12 bytes a parameter at 1 GB/s a node", "TIME",
        [](RunConfig &c) -> FieldRef { return &c.faults.checkpoint; }, 0, 1e6},

    {"data", Group::Data, Type::Sources, "token files to train on, each with a weight", "FILE",
        [](RunConfig &c) -> FieldRef { return &c.training.data; }, 0, 0, true},
    {"eval_data", Group::Data, Type::Sources, "token files to evaluate on", "FILE",
        [](RunConfig &c) -> FieldRef { return &c.training.evalData; }, 0, 0, true},
    {"tokenizer", Group::Data, Type::Text, "SentencePiece model of the token files", "FILE",
        [](RunConfig &c) -> FieldRef { return &c.training.tokenizer; }, 0, 0, true},
    {"documents", Group::Data, Type::Choice, "apart: attention, positions and loss end where a document does", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.training.documents); }, 0, 0, true},

    {"steps", Group::Optimization, Type::Count, "optimizer steps; else the token budget decides", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.steps; }, 1, kManySteps, true},
    {"learning_rate", Group::Optimization, Type::Number, "highest learning rate", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.learningRate; }, 0, 100, true},
    {"min_learning_rate", Group::Optimization, Type::Number, "learning rate at the end of the schedule", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.minLearningRate; }, 0, 100, true},
    {"warmup_steps", Group::Optimization, Type::Count, "steps until the highest learning rate", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.warmupSteps; }, 0, kManySteps, true},
    {"schedule", Group::Optimization, Type::Choice, "the way down from the highest learning rate", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.training.schedule); }, 0, 0, true},
    {"weight_decay", Group::Optimization, Type::Number, "decoupled weight decay", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.weightDecay; }, 0, 100, true},
    {"beta1", Group::Optimization, Type::Number, "decay of Adam's first moment", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.beta1; }, 0, 0.9999999, true},
    {"beta2", Group::Optimization, Type::Number, "decay of Adam's second moment", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.beta2; }, 0, 0.9999999, true},
    {"grad_clip", Group::Optimization, Type::Number, "largest gradient norm, 0 for no clipping", "X",
        [](RunConfig &c) -> FieldRef { return &c.training.gradClip; }, 0, 1e9, true},
    {"seed", Group::Optimization, Type::Integer, "of weights and sample order", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.seed; }, 0, 1.8446744073709552e19, true},

    {"eval_every", Group::Run, Type::Count, "steps between evaluations, 0 for none", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.evalEvery; }, 0, kManySteps, true},
    {"checkpoint_every", Group::Run, Type::Count, "steps between checkpoints, 0 for only one at the end", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.checkpointEvery; }, 0, kManySteps, true},
    {"keep_checkpoints", Group::Run, Type::Integer, "newest checkpoints that are kept", "N",
        [](RunConfig &c) -> FieldRef { return &c.training.keepCheckpoints; }, 1, 1e6, true},
    {"device", Group::Run, Type::Choice, "where the trainer runs", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.training.device); }, 0, 0, true},
    {"communicator", Group::Run, Type::Choice, "how ranks talk", "KIND",
        [](RunConfig &c) -> FieldRef { return enumRef(c.training.communicator); }, 0, 0, true},
    {"name", Group::Run, Type::Text, "the run's name", "TEXT",
        [](RunConfig &c) -> FieldRef { return &c.training.name; }, 0, 0, true},
    {"tags", Group::Run, Type::Texts, "words to find the run by", "TEXT",
        [](RunConfig &c) -> FieldRef { return &c.training.tags; }, 0, 0, true},
    {"notes", Group::Run, Type::Text, "what the run is for", "TEXT",
        [](RunConfig &c) -> FieldRef { return &c.training.notes; }, 0, 0, true},
    {"usd_limit", Group::Run, Type::Number, "budget: an alert says when the run is expected to end above it", "USD",
        [](RunConfig &c) -> FieldRef { return &c.training.usdLimit; }, 0, 1e12, true},
    {"stop_at_usd", Group::Run, Type::Number,
        "end after a checkpoint when so much is spent, by the plan's price per hour", "USD",
        [](RunConfig &c) -> FieldRef { return &c.training.stopAtUsd; }, 0, 1e12, true},
    {"time_limit", Group::Run, Type::Duration, "stop after this long, such as 12h", "TIME",
        [](RunConfig &c) -> FieldRef { return &c.training.timeLimit; }, 1, 1e10, true},
});

} // namespace

std::span<const Setting> settings() { return kSettings; }

} // namespace slipway
