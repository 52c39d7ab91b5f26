// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/plan_text.h"

#include <fmt/format.h>

namespace slipway {

namespace {

// The settings of a model that change attention or RoPE.
std::string optionsText(const Kernel &k)
{
    std::string text;
    if (k.activation)
        text += " with activation";
    if (k.denseMask)
        text += " mask";
    if (k.window > 0)
        text += fmt::format(" window {}", k.window);
    if (k.past > 0)
        text += fmt::format(" past {}", k.past);
    if (k.storedBits > 0)
        text += fmt::format(" stored in {} bits", k.storedBits);
    if (k.rope > 0)
        text += fmt::format(" rotation {}", k.rope);
    if (k.scale != 0)
        text += fmt::format(" scale {}", k.scale);
    if (k.softCap != 0)
        text += fmt::format(" soft cap {}", k.softCap);
    return text;
}

std::string shapeText(const Kernel &k)
{
    const std::string_view type = enumName(k.type);
    if (k.kind == OpKind::GroupedGemm)
        return fmt::format(
            "{} [{} experts {}x{}x{} {}{}]", enumName(k.form), k.batch, k.m, k.n, k.k, type, optionsText(k));
    if (k.kind == OpKind::Gemm)
        return fmt::format("{} [{}x{}x{} {}{}]", enumName(k.form), k.m, k.n, k.k, type, optionsText(k));
    if (k.seq > 0 && k.heads > 0)
        return fmt::format(
            "[{}x{} heads {}/{}x{} {}{}]", k.batch, k.seq, k.heads, k.kvHeads, k.headDim, type, optionsText(k));
    return k.n > 0 ? fmt::format("[{}x{} {}]", k.m, k.n, type) : fmt::format("[{} {}]", k.m, type);
}

std::string useText(const StepPlan &plan, const Use &use)
{
    std::string text = plan.at(use.buffer).name;
    if (use.layerShift != 0)
        text += fmt::format("{:+}", use.layerShift);
    if (use.offset != 0)
        text += fmt::format("@{}", use.offset);
    if (use.stride != 0)
        text += fmt::format("@i*{}", use.stride);
    if (use.shardStride != 0)
        text += fmt::format("@r*{}", use.shardStride);
    return text;
}

void appendUses(std::string &text, const StepPlan &plan, std::string_view label, const std::vector<Use> &uses)
{
    if (uses.empty())
        return;
    text += fmt::format(" {}", label);
    for (const Use &use : uses)
        text += " " + useText(plan, use);
}

// Writes consecutive slots of one block as one line: "layer_forward 0..23".
std::string segmentText(const StepPlan &plan, const Segment &segment)
{
    std::string text = fmt::format("repeat {}\n", segment.repeat);
    for (std::size_t i = 0; i < segment.slots.size();) {
        std::size_t end = i + 1;
        while (end < segment.slots.size() && segment.slots[end].block == segment.slots[i].block)
            ++end;
        const Slot &first = segment.slots[i], &last = segment.slots[end - 1];
        text += end - i == 1 ? fmt::format("    {} {}\n", plan.at(first.block).name, first.index)
                             : fmt::format("    {} {}..{}\n", plan.at(first.block).name, first.index, last.index);
        i = end;
    }
    return text;
}

} // namespace

std::string toText(const StepPlan &plan, const Op &op)
{
    const Kernel &kernel = plan.at(op.kernel);
    std::string text = fmt::format("{} {} {}", op.name, enumName(kernel.kind), shapeText(kernel));
    if (op.stream != Stream::Compute)
        text += fmt::format(" on {}", enumName(op.stream));
    if (op.accumulate)
        text += " accumulates";
    appendUses(text, plan, "reads", op.reads);
    appendUses(text, plan, "writes", op.writes);
    appendUses(text, plan, "allocates", op.allocations);
    appendUses(text, plan, "frees", op.frees);
    return text;
}

std::string toText(const StepPlan &plan)
{
    std::string text = fmt::format("layers {}, micro-batches {}\n\nbuffers\n", plan.layers, plan.gradAccum);
    for (const Buffer &buffer : plan.buffers)
        text += fmt::format("    {} {} B {} {}{}\n", buffer.name, buffer.bytes, enumName(buffer.type),
            enumName(buffer.role), buffer.perLayer ? " per layer" : "");
    for (const Block &block : plan.blocks) {
        text += fmt::format("\nblock {}\n", block.name);
        for (const Op &op : block.ops)
            text += fmt::format("    {}: {}\n", enumName(op.phase), toText(plan, op));
    }
    text += "\nschedule\n";
    for (const Segment &segment : plan.schedule)
        text += segmentText(plan, segment);
    return text;
}

std::string orderText(const StepPlan &plan)
{
    std::string text = "\norder\n";
    if (plan.oneCommunicationLane)
        text += "    gather, reduce and communication: one lane\n";
    if (plan.gathersAhead > 0)
        text += fmt::format("    gather: after the kernels of the block {} before\n", plan.gathersAhead);
    text += fmt::format("    CUDA graph: {}\n", plan.cudaGraph ? "yes" : "no");
    return text;
}

} // namespace slipway
