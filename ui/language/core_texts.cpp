// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/language/core_texts.h"

#include <QCoreApplication>

#include "ui/language/core_sentences.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

// Only lupdate reads this list, because core does not use Qt and cannot mark its texts for translation. The order is:
// the settings, the suggestions, the figures of a grid, the quantities of a run, the rows of textbook formulas, the
// hosts, the constants, the charts of serving and its settings, and the titles of scaling laws and price books, with
// the notes of the latter. A std::array would deduce its length from more arguments than Clang takes.
[[maybe_unused]] constexpr const char *kTexts[] = {
    QT_TRANSLATE_NOOP("CoreTexts",
        "Model: a preset, a public model, a size such as 700M, a YAML file or a Hugging Face "
        "config.json"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of transformer layers"),
    QT_TRANSLATE_NOOP("CoreTexts", "Hidden size"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of attention heads"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of key-value heads; fewer than --heads for grouped-query attention"),
    QT_TRANSLATE_NOOP("CoreTexts", "MLP width (intermediate size)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Vocabulary size"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tie the LM head to the embedding"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of experts per layer; 0 for a dense model"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of experts that each token is routed to"),
    QT_TRANSLATE_NOOP("CoreTexts", "GPU from the catalogue, or cpu for this machine's CPU"),
    QT_TRANSLATE_NOOP("CoreTexts", "Total number of ranks, on GPUs or on the CPU"),
    QT_TRANSLATE_NOOP("CoreTexts", "GPUs per node"),
    QT_TRANSLATE_NOOP("CoreTexts", "Memory limit per GPU in GiB; default: the GPU's own memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "Data-parallel strategy"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tensor-parallel size"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of pipeline stages"),
    QT_TRANSLATE_NOOP("CoreTexts", "Context-parallel size"),
    QT_TRANSLATE_NOOP("CoreTexts", "Expert-parallel size"),
    QT_TRANSLATE_NOOP("CoreTexts", "Micro-batch size: sequences per rank in one forward and backward pass"),
    QT_TRANSLATE_NOOP("CoreTexts", "Sequence length in tokens"),
    QT_TRANSLATE_NOOP("CoreTexts", "Gradient accumulation: micro-batches per training step"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Precision; bf16-mixed computes in bf16 and keeps fp32 master weights; the default depends on the framework"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Attention implementation; flash never writes the attention scores to memory; the default depends on the "
        "framework"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Activation recomputation (activation checkpointing) to save memory; the default depends on the framework"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Optimizer; muon updates the weight matrices of the layers with Muon and all other weights with AdamW"),
    QT_TRANSLATE_NOOP("CoreTexts", "Framework to plan for, such as torchtitan@2025-03 or hf-trainer@4.46; slipway "
                                   "catalog frameworks lists them; a run of Slipway's own trainer needs slipway"),
    QT_TRANSLATE_NOOP("CoreTexts", "How a simulated framework runs the experts' GEMMs: one grouped kernel, or a loop "
                                   "over the experts"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tokens per expert, relative to even routing; above 1 for padded capacity or the "
                                   "busiest rank, below 1 if tokens are dropped"),
    QT_TRANSLATE_NOOP("CoreTexts", "How the loss is computed from the logits"),
    QT_TRANSLATE_NOOP("CoreTexts", "Network bandwidth per node in Gbit/s; default: the catalogue's value"),
    QT_TRANSLATE_NOOP("CoreTexts", "Model chunks per pipeline stage; above 1 for an interleaved pipeline"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Order of a pipeline's micro-batches; auto: 1f1b, or interleaved with virtual stages"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "How context-parallel ranks attend to each other's tokens: ring attention, an all-to-all over "
        "heads (Ulysses), or gathered keys; auto: gather with Slipway's trainer, else ring"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "When to reduce gradients: after every micro-batch (least memory) or once per step (no_sync)"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Data type in which data-parallel ranks reduce gradients; bf16 halves the traffic, but rounds the sums"),
    QT_TRANSLATE_NOOP("CoreTexts", "Ops to recompute with --recompute selective: attention, norm, activation, rope, "
                                   "linear, linear-alternate, layer-alternate, experts, communication"),
    QT_TRANSLATE_NOOP("CoreTexts", "Keep activations in host memory until the backward pass"),
    QT_TRANSLATE_NOOP("CoreTexts", "Rank of LoRA adapters, which are trained on frozen weights; 0 trains all weights"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Matrices of a layer that have LoRA adapters: all, those of attention, or those of queries and values"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Storage of the layers' frozen weights with LoRA: whole (in the type of the computation), fp32, int8, or nf4 "
        "(QLoRA); the default depends on the framework"),
    QT_TRANSLATE_NOOP("CoreTexts", "Decay of an exponential moving average of the weights, such as 0.999; 0 for none; "
                                   "evaluations use the average"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Add the load-balancing and z losses of the experts' router to the training loss (router_aux_loss_coef)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Update each weight in the backward pass, as soon as its gradient is computed"),
    QT_TRANSLATE_NOOP("CoreTexts", "Options that override the framework profile: KEY=VALUE,KEY=VALUE"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Compile the model of a simulated framework with torch.compile; default: the framework's own choice"),
    QT_TRANSLATE_NOOP("CoreTexts", "PyTorch version of a simulated framework, such as 1.12"),
    QT_TRANSLATE_NOOP("CoreTexts", "Generation of the flash attention kernel"),
    QT_TRANSLATE_NOOP("CoreTexts", "Use autocast on top of FSDP mixed precision, as Lightning and Accelerate do: "
                                   "LayerNorm and softmax write fp32, and each GEMM casts its input"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Compute cross-entropy and perplexity from the logits in every training step, as Composer does"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Use fused norm, RoPE, gate and loss kernels in simulated eager PyTorch (flash-attn, Apex, "
        "Liger-Kernel); without FSDP, weights are bf16 with fp32 master weights"),
    QT_TRANSLATE_NOOP("CoreTexts", "Unpad sequences before attention and pad them again afterwards, as flash attention "
                                   "in Transformers does with a padding mask"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Pass a dense mask to PyTorch's attention, which then computes all scores and cannot use FlashAttention"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Repeat keys and values for each query head before attention; the default depends on the PyTorch version"),
    QT_TRANSLATE_NOOP("CoreTexts", "Sharding implementation in simulated PyTorch; traced (XLA, per unit) and simple "
                                   "(SimpleFSDP, per weight) do not overlap communication"),
    QT_TRANSLATE_NOOP("CoreTexts", "Let gradients share the memory of DDP's buckets (gradient_as_bucket_view); no "
                                   "effect under no_sync"),
    QT_TRANSLATE_NOOP("CoreTexts", "Bucket size of DeepSpeed ZeRO, in gradients (reduce_bucket_size); Lightning sets "
                                   "200M, Transformers (auto) the square of the hidden size"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Data type in which a simulated framework reduces gradients under FSDP and keeps them for the optimizer"),
    QT_TRANSLATE_NOOP("CoreTexts", "Granularity of fp8 scales in simulated PyTorch (torchao): per tensor or per row"),
    QT_TRANSLATE_NOOP("CoreTexts", "Use dropout in a simulated framework's layers; default: as in its usual recipe"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Sequence parallelism of Megatron-LM; default: on with flash attention, experts or selective recomputation"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Overlap sequence-parallel collectives with GEMMs, as Megatron-LM does with --tp-comm-overlap"),
    QT_TRANSLATE_NOOP("CoreTexts", "Pad the vocabulary to a multiple of N times the tensor-parallel size "
                                   "(Megatron-LM's --make-vocab-size-divisible-by)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Use expandable segments in PyTorch's caching allocator"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Where the logits are copied to leave out the last position (Transformers before 4.49)"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Limit FSDP to the gathered weights of two layers at a time; the default depends on the PyTorch version"),
    QT_TRANSLATE_NOOP("CoreTexts", "Let FSDP1 gather the next layer's weights in backward before it reduces this "
                                   "layer's gradients (backward_prefetch)"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "End the recomputation of a layer with the last activation that backward reads (early_stop of "
        "torch.utils.checkpoint); false: repeat the whole layer, as with use_reentrant"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Run fp32 GEMMs of PyTorch on tensor cores in TF32 (torch.backends.cuda.matmul.allow_tf32)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Make each layer an FSDP unit; false: the whole model is one unit"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Make the embedding and the LM head separate FSDP2 units, as torchtitan and Accelerate 1.14 do"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Plan a model that uses torch.nn.RMSNorm and computes RoPE with complex numbers, as torchtitan's models do"),
    QT_TRANSLATE_NOOP("CoreTexts", "Data type of the weights that FSDP gathers in mixed precision"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Overlap data-parallel reductions with the backward pass; default: the framework's own choice"),
    QT_TRANSLATE_NOOP("CoreTexts", "Accumulate bf16 or fp16 gradients in separate fp32 gradients"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Run the activation and the multiplication of a gated MLP in one kernel; default: the framework's own choice"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Run scale, mask and softmax of attention scores in one kernel; only with Megatron-LM"),
    QT_TRANSLATE_NOOP("CoreTexts", "Apply the router's weights inside the experts, as Megatron-Core 0.13 and later do; "
                                   "the experts' outputs are then not saved"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Plan models of libraries as in Transformers before 4.46: logits are upcast, and masks select scores"),
    QT_TRANSLATE_NOOP("CoreTexts", "Flatten bf16 or fp16 gradients and cast them to fp32 before the optimizer step"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Number of ranks over which ZeRO-1 shards the optimizer states; default: all data-parallel ranks"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Offload optimizer states, or also the weights, to host memory, where the CPU updates them (ZeRO-Offload)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Multiply the host time of a kernel launch by this factor"),
    QT_TRANSLATE_NOOP("CoreTexts", "Multiply the rate of GEMMs by this factor"),
    QT_TRANSLATE_NOOP("CoreTexts", "Multiply the bandwidth of collectives by this factor"),
    QT_TRANSLATE_NOOP("CoreTexts", "Name of a calibration that slipway calibrate fitted to your own runs"),
    QT_TRANSLATE_NOOP("CoreTexts", "Price book: paper, or one that slipway catalog prices lists"),
    QT_TRANSLATE_NOOP("CoreTexts", "Token budget such as 20B; default: 20 tokens per parameter"),
    QT_TRANSLATE_NOOP("CoreTexts", "Budget in dollars instead of tokens; includes failures and checkpoints"),
    QT_TRANSLATE_NOOP("CoreTexts", "Scaling law for the expected loss; slipway catalog laws lists them"),
    QT_TRANSLATE_NOOP("CoreTexts", "Target loss in nats per token; shows the tokens and cost to reach it"),
    QT_TRANSLATE_NOOP("CoreTexts", "Assumed mean time between failures of one GPU; a failure stops the whole run"),
    QT_TRANSLATE_NOOP("CoreTexts", "Assumed preemptions per node and day; default: 0, or 1 at spot prices"),
    QT_TRANSLATE_NOOP("CoreTexts", "Assumed time from a failure to the next step, such as 10m"),
    QT_TRANSLATE_NOOP("CoreTexts", "Assumed time between checkpoints if checkpoint_every is not set"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Assumed pause for a checkpoint; default: 12 bytes per parameter at 1 GB/s per node"),
    QT_TRANSLATE_NOOP("CoreTexts", "Token files to train on, with optional weights"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Token files to evaluate on; names such as wiki::a.bin define separate evaluation sets"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tokenizer of the token files: tokenizer.json or a SentencePiece model"),
    QT_TRANSLATE_NOOP("CoreTexts", "Number of training steps; default: from the token budget"),
    QT_TRANSLATE_NOOP("CoreTexts", "Name of the run"),
    QT_TRANSLATE_NOOP("CoreTexts", "Cost limit in dollars; an alert is raised when the expected cost exceeds it"),
    QT_TRANSLATE_NOOP("CoreTexts", "Stop after this time, such as 12h"),
    QT_TRANSLATE_NOOP("CoreTexts", "flash attention does not store the attention scores"),
    QT_TRANSLATE_NOOP("CoreTexts", "smaller micro-batches and more accumulation: the same global batch with less "
                                   "activation memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "larger micro-batches and less accumulation: kernels run more efficiently"),
    QT_TRANSLATE_NOOP("CoreTexts", "full recomputation stores only the inputs of the layers"),
    QT_TRANSLATE_NOOP("CoreTexts", "recomputing only attention costs little time"),
    QT_TRANSLATE_NOOP("CoreTexts", "there is enough memory to store the activations that are recomputed now"),
    QT_TRANSLATE_NOOP("CoreTexts", "smaller micro-batches and recomputation together save the most memory"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "frozen weights in 4 bits (QLoRA) take about a quarter of the memory, and their GEMMs more time"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "all together: micro-batch 1, full recomputation, and frozen weights in 4 bits (QLoRA)"),
    QT_TRANSLATE_NOOP("CoreTexts", "twice the GPUs on the same global batch: finishes sooner, but costs more where "
                                   "communication is exposed"),
    QT_TRANSLATE_NOOP("CoreTexts", "half the GPUs, each with twice the micro-batches: less communication"),
    QT_TRANSLATE_NOOP("CoreTexts", "each rank keeps fewer experts and sends more tokens to other ranks"),
    QT_TRANSLATE_NOOP("CoreTexts", "fewer tokens are sent to other ranks"),
    QT_TRANSLATE_NOOP("CoreTexts", "each rank keeps a full replica: only gradients are communicated"),
    QT_TRANSLATE_NOOP("CoreTexts", "shards the optimizer states, but not the weights"),
    QT_TRANSLATE_NOOP("CoreTexts", "shards gradients and optimizer states; gathers the weights once per step"),
    QT_TRANSLATE_NOOP("CoreTexts", "shards all model states: leaves memory for a larger micro-batch"),
    QT_TRANSLATE_NOOP("CoreTexts", "another GPU of the price book"),
    QT_TRANSLATE_NOOP("CoreTexts", "spot prices: nodes can be preempted, which the goodput includes"),
    QT_TRANSLATE_NOOP("CoreTexts", "a cheaper offer of the same GPU"),
    QT_TRANSLATE_NOOP("CoreTexts", "more GPUs shard the model states and share the global batch"),
    QT_TRANSLATE_NOOP("CoreTexts", "more GPUs shard the model states; micro-batch 1 and full recomputation"),
    QT_TRANSLATE_NOOP("CoreTexts", "a GPU with more memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "fully sharded, micro-batch 1, full recomputation"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "the fastest settings that fit with a margin: same model, global batch and number of "
        "GPUs"),
    QT_TRANSLATE_NOOP("CoreTexts", "the smallest change that fits with a margin"),
    QT_TRANSLATE_NOOP("CoreTexts", "the cheapest settings on another GPU of the price book"),
    QT_TRANSLATE_NOOP("CoreTexts", "A paged KV cache reserves only the blocks that a sequence uses."),
    QT_TRANSLATE_NOOP("CoreTexts", "Keys and values take one byte per number."),
    QT_TRANSLATE_NOOP("CoreTexts", "Weights take one byte per parameter."),
    QT_TRANSLATE_NOOP("CoreTexts", "Weights take about half a byte per parameter."),
    QT_TRANSLATE_NOOP("CoreTexts", "Weights, keys and values take one byte per number."),
    QT_TRANSLATE_NOOP("CoreTexts", "Answers change slightly."),
    QT_TRANSLATE_NOOP("CoreTexts", "The GPUs shard the weights and the KV cache."),
    QT_TRANSLATE_NOOP("CoreTexts", "The largest batch that fits; further requests wait."),
    QT_TRANSLATE_NOOP("CoreTexts", "The smallest types of weights and KV cache, on all GPUs of a node."),
    QT_TRANSLATE_NOOP("CoreTexts", "A step reads the weights once for all sequences. Each token takes longer."),
    QT_TRANSLATE_NOOP("CoreTexts", "The largest batch that meets the target."),
    QT_TRANSLATE_NOOP("CoreTexts", "Each GPU computes a shard of each token and holds a shard of its KV cache."),
    QT_TRANSLATE_NOOP("CoreTexts", "Fewer GPUs communicate less."),
    QT_TRANSLATE_NOOP("CoreTexts", "Another GPU of the price book."),
    QT_TRANSLATE_NOOP("CoreTexts", "Spot prices: a server can be preempted."),
    QT_TRANSLATE_NOOP("CoreTexts", "A cheaper offer of the same GPU."),
    QT_TRANSLATE_NOOP("CoreTexts", "Is flash attention worth it?"),
    QT_TRANSLATE_NOOP("CoreTexts", "Which GPU, and how many of them?"),
    QT_TRANSLATE_NOOP("CoreTexts", "Which parallelism strategy, on how many GPUs?"),
    QT_TRANSLATE_NOOP("CoreTexts", "Which parallelism strategy, at which global batch?"),
    QT_TRANSLATE_NOOP("CoreTexts", "GPUs"),
    QT_TRANSLATE_NOOP("CoreTexts", "global batch, sequences"),
    QT_TRANSLATE_NOOP("CoreTexts", "tokens per dollar"),
    QT_TRANSLATE_NOOP("CoreTexts", "tokens/s"),
    QT_TRANSLATE_NOOP("CoreTexts", "step time"),
    QT_TRANSLATE_NOOP("CoreTexts", "MFU"),
    QT_TRANSLATE_NOOP("CoreTexts", "peak allocated"),
    QT_TRANSLATE_NOOP("CoreTexts", "peak reserved"),
    QT_TRANSLATE_NOOP("CoreTexts", "peak on the device"),
    QT_TRANSLATE_NOOP("CoreTexts", "final loss"),
    QT_TRANSLATE_NOOP("CoreTexts", "cost"),
    QT_TRANSLATE_NOOP("CoreTexts", "Weights"),
    QT_TRANSLATE_NOOP("CoreTexts", "Gradients"),
    QT_TRANSLATE_NOOP("CoreTexts", "Master weights and optimizer states"),
    QT_TRANSLATE_NOOP("CoreTexts", "Activations"),
    QT_TRANSLATE_NOOP("CoreTexts", "Logits and loss"),
    QT_TRANSLATE_NOOP("CoreTexts", "Communication"),
    QT_TRANSLATE_NOOP("CoreTexts", "Workspaces"),
    QT_TRANSLATE_NOOP("CoreTexts", "Reserved but not allocated"),
    QT_TRANSLATE_NOOP("CoreTexts", "Outside the allocator"),
    QT_TRANSLATE_NOOP("CoreTexts", "The formula omits gathered weights and gradients that wait for their reduction."),
    QT_TRANSLATE_NOOP("CoreTexts", "The formula omits the workspaces of kernels."),
    QT_TRANSLATE_NOOP("CoreTexts", "The allocator reserves whole segments and caches freed memory."),
    QT_TRANSLATE_NOOP("CoreTexts", "The CUDA context and communication buffers, which are not tensors."),
    QT_TRANSLATE_NOOP("CoreTexts", "The plan counts each tensor with its actual size and lifetime."),
    QT_TRANSLATE_NOOP("CoreTexts", "this machine"),
    QT_TRANSLATE_NOOP("CoreTexts", "ssh configuration"),
    QT_TRANSLATE_NOOP("CoreTexts", "added"),
    QT_TRANSLATE_NOOP("CoreTexts", "clock"),
    QT_TRANSLATE_NOOP("CoreTexts", "command"),
    QT_TRANSLATE_NOOP("CoreTexts", "device"),
    QT_TRANSLATE_NOOP("CoreTexts", "disk"),
    QT_TRANSLATE_NOOP("CoreTexts", "framework"),
    QT_TRANSLATE_NOOP("CoreTexts", "host"),
    QT_TRANSLATE_NOOP("CoreTexts", "nodes"),
    QT_TRANSLATE_NOOP("CoreTexts", "plan"),
    QT_TRANSLATE_NOOP("CoreTexts", "data"),
    QT_TRANSLATE_NOOP("CoreTexts", "evaluation data"),
    QT_TRANSLATE_NOOP("CoreTexts", "model"),
    QT_TRANSLATE_NOOP("CoreTexts", "tokenizer"),
    QT_TRANSLATE_NOOP("CoreTexts", "trainer"),
    QT_TRANSLATE_NOOP("CoreTexts", "agrees with this machine's"),
    QT_TRANSLATE_NOOP("CoreTexts", "GEMM rate"),
    QT_TRANSLATE_NOOP("CoreTexts", "attention rate"),
    QT_TRANSLATE_NOOP("CoreTexts", "memory bandwidth"),
    QT_TRANSLATE_NOOP("CoreTexts", "kernel launch time"),
    QT_TRANSLATE_NOOP("CoreTexts", "link bandwidth within a node"),
    QT_TRANSLATE_NOOP("CoreTexts", "network bandwidth"),
    QT_TRANSLATE_NOOP("CoreTexts", "allocator memory beyond the plan"),
    QT_TRANSLATE_NOOP("CoreTexts", "device memory outside the allocator"),
    QT_TRANSLATE_NOOP("CoreTexts", "memory compared with the plan"),
    QT_TRANSLATE_NOOP("CoreTexts", "Throughput against memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "Grouped-query and multi-head attention"),
    QT_TRANSLATE_NOOP("CoreTexts", "Experts against dense"),
    QT_TRANSLATE_NOOP("CoreTexts", "Fused and paged attention"),
    QT_TRANSLATE_NOOP("CoreTexts", "Memory of the KV cache"),
    QT_TRANSLATE_NOOP("CoreTexts", "Latency against load"),
    QT_TRANSLATE_NOOP("CoreTexts", "Time to first token"),
    QT_TRANSLATE_NOOP("CoreTexts", "Time per output token"),
    QT_TRANSLATE_NOOP("CoreTexts", "Request latency"),
    QT_TRANSLATE_NOOP("CoreTexts", "Batch (sequences)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Memory of one GPU (GiB, log scale)"),
    QT_TRANSLATE_NOOP("CoreTexts", "Prompt and answer (tokens)"),
    QT_TRANSLATE_NOOP("CoreTexts", "GiB on each GPU"),
    QT_TRANSLATE_NOOP("CoreTexts", "Left for the cache"),
    QT_TRANSLATE_NOOP("CoreTexts", "Multi-head attention"),
    QT_TRANSLATE_NOOP("CoreTexts", "Grouped-query attention"),
    QT_TRANSLATE_NOOP("CoreTexts", "Mixture of experts"),
    QT_TRANSLATE_NOOP("CoreTexts", "Dense, as wide as the experts of one token"),
    QT_TRANSLATE_NOOP("CoreTexts", "Dense, as wide as all experts"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "How much memory and speed does it cost to store all experts if each token uses only a few?"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "How much do fused kernels gain, and how many more sequences fit if the cache is paged?"),
    QT_TRANSLATE_NOOP("CoreTexts", "How does the memory of keys and values grow with the sequence length?"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "How does latency grow with the load, up to more requests than the server can answer?"),
    QT_TRANSLATE_NOOP("CoreTexts", "Length"),
    QT_TRANSLATE_NOOP("CoreTexts", "Requests/s"),
    QT_TRANSLATE_NOOP("CoreTexts", "Seconds"),
    QT_TRANSLATE_NOOP("CoreTexts", "Model"),
    QT_TRANSLATE_NOOP("CoreTexts", "a recurrent model, which has a state instead of a KV cache"),
    QT_TRANSLATE_NOOP("CoreTexts", "an encoder, which generates no tokens and has no KV cache"),
    QT_TRANSLATE_NOOP("CoreTexts", "there are no measurements"),
    QT_TRANSLATE_NOOP("CoreTexts", "runs, tables or logs of configurations that can be planned"),
    QT_TRANSLATE_NOOP("CoreTexts", "the run was out of memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "has neither a measured speed of whole steps nor a peak memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "has no effect on the step time of these runs"),
    QT_TRANSLATE_NOOP("CoreTexts", "affects less than 1 % of the step time of each run"),
    QT_TRANSLATE_NOOP("CoreTexts", "has no effect on the step time of these runs then"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "would be at least five times the known value of the device, so the configuration probably does not match the "
        "run"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "would be at most a fifth of the known value of the device, so the configuration probably does not match the "
        "run"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "would exceed the GPU's peak rate, so the configuration probably does not match the run"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "would be more than four times the planned memory, so the configuration probably does not match the run"),
    QT_TRANSLATE_NOOP("CoreTexts", "one run supports only one constant"),
    QT_TRANSLATE_NOOP("CoreTexts", "does not improve the predictions"),
    QT_TRANSLATE_NOOP("CoreTexts", "no run reports its peak memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "no run reports allocated or reserved memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "no run reports device memory"),
    QT_TRANSLATE_NOOP("CoreTexts", "no run reports both device memory and the memory in the allocator"),
    QT_TRANSLATE_NOOP("CoreTexts", "is not needed: a factor explains as much"),
    QT_TRANSLATE_NOOP("CoreTexts", "is not needed: a constant amount explains more"),
    QT_TRANSLATE_NOOP("CoreTexts", "the config.json of a Hugging Face model"),
    QT_TRANSLATE_NOOP("CoreTexts", "Serving software to plan for: vllm, tensorrt-llm, llama.cpp, transformers, "
                                   "autoawq, autoawq-gemv, gpt-fast or slipway"),
    QT_TRANSLATE_NOOP("CoreTexts", "Storage of the weights: bf16, fp8, int8, int4 or fp32"),
    QT_TRANSLATE_NOOP("CoreTexts", "Storage of the KV cache: bf16, fp8 or fp32"),
    QT_TRANSLATE_NOOP("CoreTexts", "Prompt length of a request in tokens"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tokens to generate per request"),
    QT_TRANSLATE_NOOP("CoreTexts", "Batch size: sequences in progress at once"),
    QT_TRANSLATE_NOOP("CoreTexts", "Average number of requests per second; simulates requests that arrive at random"),
    QT_TRANSLATE_NOOP("CoreTexts", "Tokens per block of the paged KV cache; default: the framework's"),
    QT_TRANSLATE_NOOP("CoreTexts", "Reserve the KV cache of each sequence in one piece, without paging"),
    QT_TRANSLATE_NOOP(
        "CoreTexts", "Tokens that a contiguous KV cache reserves per sequence; default: --prompt plus --generate"),
    QT_TRANSLATE_NOOP("CoreTexts", "Target time to first token in seconds; lists the GPUs that meet it"),
    QT_TRANSLATE_NOOP("CoreTexts", "Target time per output token in seconds; lists the GPUs that meet it"),
    QT_TRANSLATE_NOOP("CoreTexts", "Requests to simulate with --requests-per-s"),
    QT_TRANSLATE_NOOP("CoreTexts", "Random seed of the simulated arrivals"),
    QT_TRANSLATE_NOOP("CoreTexts", "Chinchilla, re-fitted by Besiroglu 2024"),
    QT_TRANSLATE_NOOP("CoreTexts", "Chinchilla, approach 3 of Hoffmann 2022"),
    QT_TRANSLATE_NOOP("CoreTexts", "Median list price of the providers"),
    QT_TRANSLATE_NOOP("CoreTexts", "Median spot price of the providers"),
    QT_TRANSLATE_NOOP("CoreTexts", "Ratios of Ashkboos et al. 2024, A100-40GB = 1"),
    QT_TRANSLATE_NOOP("CoreTexts", "AWS on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "AWS spot, cheapest US zone"),
    QT_TRANSLATE_NOOP("CoreTexts", "Google Cloud on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "Google Cloud spot"),
    QT_TRANSLATE_NOOP("CoreTexts", "Lambda on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "Verda (formerly DataCrunch) on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "Verda spot"),
    QT_TRANSLATE_NOOP("CoreTexts", "Hyperstack on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "RunPod secure on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "RunPod spot"),
    QT_TRANSLATE_NOOP("CoreTexts", "Vast.ai marketplace, lowest offer"),
    QT_TRANSLATE_NOOP("CoreTexts", "Yotta on demand"),
    QT_TRANSLATE_NOOP("CoreTexts", "Prime Intellect marketplace, lowest offer of each provider"),
    QT_TRANSLATE_NOOP("CoreTexts", "Prime Intellect marketplace, spot"),
    QT_TRANSLATE_NOOP("CoreTexts", "Median over providers of the lowest on-demand price for the GPU. Vast.ai counts "
                                   "only where no other provider lists the GPU."),
    QT_TRANSLATE_NOOP("CoreTexts", "Median over providers of the lowest spot price for the GPU."),
    QT_TRANSLATE_NOOP("CoreTexts",
        "Mean of Lambda and Google Cloud as the paper has it. The unit is one hour of an A100-40GB, not a dollar."),
    QT_TRANSLATE_NOOP("CoreTexts", "GPU part only; host price not added"),
    QT_TRANSLATE_NOOP("CoreTexts", "GPU part only; host price not added; other US regions show 64.44 (discounted SKU)"),
    QT_TRANSLATE_NOOP("CoreTexts", "GPU part only; host vCPU/RAM price not added"),
    QT_TRANSLATE_NOOP("CoreTexts",
        "marketplace floor; host marketplace floor for a 32-vCPU/64-GiB shape; SpotPrice column is 0.00 = not given"),
    QT_TRANSLATE_NOOP("CoreTexts", "marketplace; provider average 3.14 over node sizes"),
    QT_TRANSLATE_NOOP("CoreTexts", "big-memory single-GPU shape"),
    QT_TRANSLATE_NOOP("CoreTexts", "cheapest US zone"),
    QT_TRANSLATE_NOOP("CoreTexts", "marketplace"),
    QT_TRANSLATE_NOOP("CoreTexts", "matches Prime Intellect snapshot of 2025-11-16"),
    QT_TRANSLATE_NOOP("CoreTexts", "spot is listed as exactly half"),
};

} // namespace

QString coreText(std::string_view text)
{
    const QString written = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    const QString translated = QCoreApplication::translate("CoreTexts", written.toUtf8().constData());
    static const char *const kAny = "step time";
    const bool inEnglish = QCoreApplication::translate("CoreTexts", kAny) == QString::fromUtf8(kAny);
    return inEnglish || translated != written ? translated : coreSentence(written).value_or(written);
}

QString problemText(const Error &error)
{
    const QString where = QString::fromStdString(error.where);
    QString text = (where.isEmpty() ? QString() : where + QStringLiteral(": ")) + coreText(error.what);
    if (!error.accepted.empty())
        text += tr(" (accepted: %1)").arg(coreText(error.accepted));
    return text;
}

} // namespace slipway::ui
