// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/plan_checks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "exec/backend.h"
#include "exec/cuda_devices.h"
#include "plan/walk.h"

namespace slipway {
namespace {

Result<void> checkIds(std::span<const std::int32_t> ids, std::string_view what, std::int64_t least, std::int64_t vocab)
{
    const auto outside =
        std::find_if(ids.begin(), ids.end(), [least, vocab](std::int32_t id) { return id < least || id >= vocab; });
    if (outside == ids.end())
        return {};
    return Error{.what = "id " + std::to_string(*outside) + " is outside the vocabulary",
        .where = std::string(what) + " " + std::to_string(outside - ids.begin()) + " of the step",
        .accepted = "0 to " + std::to_string(vocab - 1)};
}

Result<void> checkSize(std::span<const std::int32_t> ids, std::string_view what, std::int64_t tokens)
{
    if (std::ssize(ids) == tokens)
        return {};
    return Error{.what = "a step takes " + std::to_string(tokens) + " " + std::string(what) + "s, not " +
                         std::to_string(ids.size())};
}

// A token's document must begin at the token or before, and later tokens must not belong to an earlier document.
Result<void> checkStarts(std::span<const std::int32_t> starts, std::int64_t seqLen)
{
    for (std::int64_t i = 0; i < std::ssize(starts); ++i) {
        const std::int64_t position = i % seqLen, start = starts[static_cast<std::size_t>(i)];
        const std::int64_t before = position == 0 ? 0 : starts[static_cast<std::size_t>(i - 1)];
        if (start != before && start != position)
            return Error{.what = "the document of token " + std::to_string(i) + " of the step cannot begin at " +
                                 std::to_string(start)};
    }
    return {};
}

} // namespace

BatchShape batchShape(const StepPlan &plan)
{
    const auto attention =
        std::find_if(plan.kernels.begin(), plan.kernels.end(), [](const Kernel &k) { return k.seq > 0; });
    return attention == plan.kernels.end()
               ? BatchShape{}
               : BatchShape{attention->batch, std::int64_t{attention->seq} * plan.mesh.context.size};
}

Result<void> checkExecutable(const StepPlan &plan, int ranks, BackendKind backend)
{
    const int planned = plan.mesh.ranks();
    for (const Kernel &kernel : plan.kernels) {
        if (backend == BackendKind::Host && kernel.type == DType::Bf16)
            return Error{.what = "bf16 does not run on the CPU", .where = "--precision", .accepted = "fp32"};
        if (!executes(backend, kernel))
            return Error{.what = "the plan contains " + std::string(enumName(kernel.kind)) +
                                 ", which this build does not execute",
                .where = "--parallel"};
    }
    if (planned != ranks)
        return Error{
            .what = "the plan is for " + std::to_string(planned) + " ranks, but " + std::to_string(ranks) + " run",
            .where = "--gpus"};
    return {};
}

Result<void> checkCapability(const StepPlan &plan, const std::string &name, int major, int minor)
{
    const bool fp8 = std::ranges::any_of(plan.kernels, [](const Kernel &k) { return k.type == DType::Fp8; });
    if (!fp8 || hasFp8Gemms(major, minor))
        return {};
    return Error{.what = name + " (compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                         ") has no fp8 GEMMs",
        .where = "--precision",
        .accepted = "bf16-mixed; or a GPU of compute capability 8.9 or newer, such as an H100 or a B200"};
}

bool hasDocumentTables(const StepPlan &plan)
{
    return std::ranges::any_of(plan.buffers, [](const Buffer &buffer) { return buffer.name == "document_bounds"; });
}

Result<void> checkInput(
    const StepInput &input, const BatchShape &shape, std::int64_t tokens, std::int64_t vocab, bool documents)
{
    const bool apart = !input.documentStarts.empty();
    if (apart && !documents)
        return Error{.what = "needs flash attention to separate documents on a GPU",
            .where = "documents",
            .accepted = "packed, or attention: flash"};
    if (const Result<void> size = apart ? checkSize(input.documentStarts, "document start", tokens) : Result<void>();
        !size)
        return size;
    if (const Result<void> starts = checkStarts(input.documentStarts, shape.seqLen); !starts)
        return starts;
    for (const auto &[ids, what, least] :
        {std::tuple(input.tokens, "token", 0), std::tuple(input.targets, "target", apart ? -1 : 0)}) {
        if (const Result<void> size = checkSize(ids, what, tokens); !size)
            return size;
        if (const Result<void> range = checkIds(ids, what, least, vocab); !range)
            return range;
    }
    return {};
}

} // namespace slipway
