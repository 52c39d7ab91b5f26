// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/table_vocabulary.h"

#include <array>
#include <utility>

namespace slipway {

namespace {

template<typename Meaning>
using Word = std::pair<std::string_view, Meaning>;

template<typename Meaning, std::size_t N>
std::optional<Meaning> meaningOf(std::string_view word, const std::array<Word<Meaning>, N> &words)
{
    for (const auto &[name, meaning] : words) {
        if (name == word)
            return meaning;
    }
    return std::nullopt;
}

// Like meaningOf. For an unknown word, the meaning of its last known part: "sdpa-cudnn", "full-(all-layers)",
// "deepspeed-zero3". A negated part, as in "no-flash", has none.
template<typename Meaning, std::size_t N>
std::optional<Meaning> meaningOfParts(std::string_view word, const std::array<Word<Meaning>, N> &words)
{
    std::optional<Meaning> meaning = meaningOf(word, words);
    while (!meaning && !word.empty()) {
        const std::size_t at = word.find_last_of("-(), /+");
        meaning = meaningOf(at == std::string_view::npos ? word : word.substr(at + 1), words);
        word = word.substr(0, at == std::string_view::npos ? 0 : at);
        const std::string_view before = word.substr(word.find_last_of("-(), /+") + 1);
        if (before == "no" || before == "not" || before == "non" || before == "without")
            return std::nullopt;
    }
    return meaning;
}

} // namespace

std::optional<Precision> precisionOf(std::string_view word)
{
    // Rows that name only fp16 or fp8 train with master weights. bf16 alone means the same as for the flag: everything
    // in bf16.
    constexpr std::array<Word<Precision>, 22> kWords{{
        {"bf16-mixed", Precision::Bf16Mixed},
        {"fp16-mixed", Precision::Fp16Mixed},
        {"fp8-mixed", Precision::Fp8Mixed},
        {"bf16-pure", Precision::Bf16},
        {"fp32", Precision::Fp32},
        {"bf16", Precision::Bf16},
        {"fp16", Precision::Fp16Mixed},
        {"fp8", Precision::Fp8Mixed},
        {"amp-bf16", Precision::Bf16Mixed},
        {"amp-fp16", Precision::Fp16Mixed},
        {"amp-fp8", Precision::Fp8Mixed},
        {"mixed-bf16", Precision::Bf16Mixed},
        {"mixed-fp16", Precision::Fp16Mixed},
        {"bf16-true", Precision::Bf16},
        {"bfloat16", Precision::Bf16},
        {"float32", Precision::Fp32},
        {"bf16-amp", Precision::Bf16Mixed},
        {"fp16-amp", Precision::Fp16Mixed},
        {"float16", Precision::Fp16Mixed},
        {"fp16-pure", Precision::Bf16},
        {"mxfp8", Precision::Fp8Mixed},
        {"mxfp8-mixed", Precision::Fp8Mixed},
    }};
    return meaningOf(word, kWords);
}

std::optional<NamedAttention> attentionOf(std::string_view word)
{
    constexpr NamedAttention vanilla{Attention::Vanilla, AttentionKernel::Auto}, flash{};
    constexpr NamedAttention first{Attention::Flash, AttentionKernel::Flash1},
        second{Attention::Flash, AttentionKernel::Flash2}, third{Attention::Flash, AttentionKernel::Flash3};
    constexpr std::array<Word<NamedAttention>, 34> kWords{{
        {"flash", flash},
        {"sdpa", flash},
        {"vanilla", vanilla},
        {"eager", vanilla},
        {"math", vanilla},
        {"naive", vanilla},
        {"unfused", vanilla},
        {"torch", vanilla},
        {"flash-attn", flash},
        {"flash-attention", flash},
        {"flashattention", flash},
        {"fused", flash},
        {"mem-efficient", flash},
        {"xformers", flash},
        {"triton", first},
        {"flash1", first},
        {"flash-1", first},
        {"flash2", second},
        {"flash-2", second},
        {"fa2", second},
        {"flash-attention-2", second},
        {"flashattention2", second},
        {"flash-attn-2", second},
        {"flash3", third},
        {"flash-3", third},
        {"fa3", third},
        {"flash-attention-3", third},
        {"flashattention3", third},
        {"cudnn", {Attention::Flash, AttentionKernel::Cudnn}},
        {"flash-attn2", second},
        {"flash-attn3", third},
        {"te", flash},
        {"memory-efficient", flash},
        {"mem-eff", flash},
    }};
    return meaningOfParts(word, kWords);
}

std::optional<Recompute> recomputeOf(std::string_view word)
{
    constexpr std::array<Word<Recompute>, 16> kWords{{
        {"none", Recompute::None},
        {"selective", Recompute::Selective},
        {"full", Recompute::Full},
        {"no", Recompute::None},
        {"false", Recompute::None},
        {"0", Recompute::None},
        {"off", Recompute::None},
        {"yes", Recompute::Full},
        {"true", Recompute::Full},
        {"1", Recompute::Full},
        {"sac", Recompute::Selective},
        {"op", Recompute::Selective},
        {"partial", Recompute::Selective},
        {"block", Recompute::Full},
        {"uniform", Recompute::Full},
        {"layer", Recompute::Full},
    }};
    return meaningOfParts(word, kWords);
}

std::optional<CodeKind> codeKindOf(std::string_view word)
{
    constexpr std::array<Word<CodeKind>, 19> kWords{{
        {"no", CodeKind::Eager},
        {"yes", CodeKind::Compiled},
        {"kernels", CodeKind::Kernels},
        {"eager", CodeKind::Eager},
        {"false", CodeKind::Eager},
        {"0", CodeKind::Eager},
        {"compile", CodeKind::Compiled},
        {"true", CodeKind::Compiled},
        {"1", CodeKind::Compiled},
        {"torch.compile", CodeKind::Compiled},
        {"inductor", CodeKind::Compiled},
        {"megatron", CodeKind::Kernels},
        {"reduce-overhead", CodeKind::Compiled},
        {"max-autotune", CodeKind::Compiled},
        {"xla", CodeKind::Compiled},
        {"fused", CodeKind::Kernels},
        {"apex", CodeKind::Kernels},
        {"liger", CodeKind::Kernels},
        {"te", CodeKind::Kernels},
    }};
    return meaningOf(word, kWords);
}

std::optional<Position> positionOf(std::string_view word)
{
    constexpr std::array<Word<Position>, 6> kWords{{
        {"rope", Position::Rope},
        {"learned", Position::Learned},
        {"alibi", Position::Alibi},
        {"rotary", Position::Rope},
        {"absolute", Position::Learned},
        {"wpe", Position::Learned},
    }};
    return meaningOf(word, kWords);
}

std::optional<ParallelKind> parallelKindOf(std::string_view word)
{
    if (const auto named = enumFromName<ParallelKind>(word))
        return named;
    constexpr std::array<Word<ParallelKind>, 16> kWords{{
        {"fsdp", ParallelKind::FsdpFull},
        {"full-shard", ParallelKind::FsdpFull},
        {"zero3", ParallelKind::FsdpFull},
        {"zero-3", ParallelKind::FsdpFull},
        {"shard-grad-op", ParallelKind::FsdpGradOp},
        {"zero2", ParallelKind::FsdpGradOp},
        {"zero-2", ParallelKind::FsdpGradOp},
        {"zero-1", ParallelKind::Zero1},
        {"hybrid-shard", ParallelKind::Hsdp},
        {"dp", ParallelKind::Ddp},
        {"single", ParallelKind::None},
        {"fsdp1", ParallelKind::FsdpFull},
        {"fsdp2", ParallelKind::FsdpFull},
        {"zero-dp", ParallelKind::Zero1},
        {"distributed-optimizer", ParallelKind::Zero1},
        {"gemini", ParallelKind::FsdpFull},
    }};
    return meaningOfParts(word, kWords);
}

std::optional<MemoryKind> memoryKindOf(std::string_view word)
{
    constexpr std::array<Word<MemoryKind>, 8> kWords{{
        {"allocated", MemoryKind::Allocated},
        {"reserved", MemoryKind::Reserved},
        {"nvidia-smi", MemoryKind::Device},
        {"device", MemoryKind::Device},
        {"active", MemoryKind::Allocated},
        {"max-memory-allocated", MemoryKind::Allocated},
        {"max-memory-reserved", MemoryKind::Reserved},
        {"rocm-smi", MemoryKind::Device},
    }};
    return meaningOf(word, kWords);
}

std::optional<OptimizerKind> optimizerOf(std::string_view word)
{
    constexpr std::array<Word<OptimizerKind>, 34> kWords{{
        {"adamw", OptimizerKind::AdamW},
        {"adam", OptimizerKind::AdamW},
        {"decoupled-adamw", OptimizerKind::AdamW},
        {"distributed-adam", OptimizerKind::AdamW},
        {"fused-adamw", OptimizerKind::AdamW},
        {"fused-adam", OptimizerKind::AdamW},
        {"adamw-fused", OptimizerKind::AdamW},
        {"adamw-foreach", OptimizerKind::AdamWForeach},
        {"adamw8bit", OptimizerKind::AdamW8bit},
        {"adamw-8bit", OptimizerKind::AdamW8bit},
        {"adam8bit", OptimizerKind::AdamW8bit},
        {"pagedadamw8bit", OptimizerKind::PagedAdamW8bit},
        {"adamw-bnb-8bit", OptimizerKind::AdamW8bit},
        {"adam-8bit", OptimizerKind::AdamW8bit},
        {"bnb-adamw-8bit", OptimizerKind::AdamW8bit},
        {"adamw-8bit-paged", OptimizerKind::PagedAdamW8bit},
        {"paged-adamw", OptimizerKind::PagedAdamW},
        {"paged-adamw-32bit", OptimizerKind::PagedAdamW},
        {"pagedadamw", OptimizerKind::PagedAdamW},
        {"pagedadamw32bit", OptimizerKind::PagedAdamW},
        {"adamw-paged", OptimizerKind::PagedAdamW},
        {"adamw-hf", OptimizerKind::AdamW},
        {"adamw-torch", OptimizerKind::AdamWForeach},
        {"adamw-torch-fused", OptimizerKind::AdamW},
        {"adamw-apex-fused", OptimizerKind::AdamW},
        {"adafactor", OptimizerKind::Adafactor},
        {"lion", OptimizerKind::Lion},
        {"lion-32bit", OptimizerKind::Lion},
        {"adamw-32bit", OptimizerKind::AdamW},
        {"sgd", OptimizerKind::Sgd},
        {"8-bit-adamw", OptimizerKind::AdamW8bit},
        {"8bit-adamw", OptimizerKind::AdamW8bit},
        {"8-bit-adam", OptimizerKind::AdamW8bit},
        {"paged-adamw-8bit", OptimizerKind::PagedAdamW8bit},
    }};
    return meaningOf(word, kWords);
}

} // namespace slipway
