// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/documents_apart.h"

#include <array>

namespace slipway {
namespace {

// Bytes of a token in each operand; the order is OpKind's (plan/step_plan.h).
struct TokenBytes {
    std::array<Bytes, OpCall::kMaxOperands> reads{}, writes{};
};

TokenBytes tokenBytesOf(const Kernel &k)
{
    const Bytes head = Bytes{k.headDim} * sizeOf(k.type), out = k.heads * head, qkv = (k.heads + 2 * k.kvHeads) * head,
                statistics = k.heads * sizeOf(DType::Fp32);
    switch (k.kind) {
    case OpKind::FlashAttention:
        return {.reads = {qkv}, .writes = {out, statistics}};
    case OpKind::FlashAttentionBackward:
        return {.reads = {out, qkv, out, statistics},
            .writes = {qkv, statistics, k.heads * k.headDim * sizeOf(DType::Fp32)}};
    default:
        return {.reads = {qkv}, .writes = {qkv}}; // rotations, in place
    }
}

void runPart(const OpCall &call, std::int64_t firstToken, std::int64_t sequences, std::int64_t tokens,
    const std::function<void(const OpCall &)> &run)
{
    Kernel kernel = call.kernel;
    kernel.batch = static_cast<decltype(kernel.batch)>(sequences);
    kernel.seq = static_cast<decltype(kernel.seq)>(tokens);
    OpCall part{.kernel = kernel, .accumulate = call.accumulate, .readCount = call.readCount};
    const TokenBytes bytes = tokenBytesOf(call.kernel);
    for (std::size_t i = 0; i < OpCall::kMaxOperands; ++i) {
        part.reads[i] = call.reads[i] ? call.reads[i] + firstToken * bytes.reads[i] : nullptr;
        part.writes[i] = call.writes[i] ? call.writes[i] + firstToken * bytes.writes[i] : nullptr;
    }
    run(part);
}

} // namespace

bool seesSequences(OpKind kind)
{
    return kind == OpKind::Rope || kind == OpKind::RopeBackward || kind == OpKind::FlashAttention ||
           kind == OpKind::FlashAttentionBackward;
}

void forEachDocument(
    const OpCall &call, std::span<const std::int32_t> starts, const std::function<void(const OpCall &)> &run)
{
    const std::int64_t seq = call.kernel.seq, all = std::ssize(starts);
    const auto begins = [&](std::int64_t token) {
        return token % seq == 0 || starts[static_cast<std::size_t>(token)] == token % seq;
    };
    for (std::int64_t first = 0; first < all;) {
        std::int64_t end = first + 1;
        while (end < all && !begins(end))
            ++end;
        const std::int64_t length = end - first;
        std::int64_t together = 1;
        if (length == seq) {
            const auto whole = [&](std::int64_t token) {
                return token < all && starts[static_cast<std::size_t>(token + seq - 1)] == 0;
            }; // of its last token
            while (whole(first + together * seq))
                ++together;
        }
        runPart(call, first, together, length, run);
        first += together * length;
    }
}

} // namespace slipway
