// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/plan_checks.h"

#include <algorithm>

#include "exec/backend.h"

namespace slipway {
namespace {

Result<void> checkIds(std::span<const std::int32_t> ids, std::string_view what, std::int64_t vocab)
{
    const auto outside = std::find_if(ids.begin(), ids.end(), [vocab](std::int32_t id) { return id < 0 || id >= vocab; });
    if (outside == ids.end())
        return {};
    return Error{.what = "id " + std::to_string(*outside) + " is outside the vocabulary",
                 .where = std::string(what) + " " + std::to_string(outside - ids.begin()) + " of the step",
                 .accepted = "0 to " + std::to_string(vocab - 1)};
}

Result<void> checkSize(std::span<const std::int32_t> ids, std::string_view what, std::int64_t tokens)
{
    if (static_cast<std::int64_t>(ids.size()) == tokens)
        return {};
    return Error{.what = "a step takes " + std::to_string(tokens) + " " + std::string(what) + "s, not " + std::to_string(ids.size())};
}

} // namespace

BatchShape batchShape(const StepPlan &plan)
{
    const auto attention = std::find_if(plan.kernels.begin(), plan.kernels.end(), [](const Kernel &k) { return k.seq > 0; });
    return attention == plan.kernels.end() ? BatchShape{} : BatchShape{attention->batch, attention->seq};
}

Result<void> checkExecutable(const StepPlan &plan, int ranks, BackendKind backend)
{
    int planned = 1;
    for (const Group &group : plan.groups)
        planned *= group.size;
    for (const Kernel &kernel : plan.kernels) {
        if (backend == BackendKind::Host && kernel.type == DType::Bf16)
            return Error{.what = "bf16 does not run on the CPU", .where = "--precision", .accepted = "fp32"};
        if (!executes(backend, kernel))
            return Error{.what = "the plan asks for " + std::string(enumName(kernel.kind)) + ", which this build does not execute",
                         .where = "--parallel"};
    }
    if (planned != ranks)
        return Error{.what = "the plan is for " + std::to_string(planned) + " ranks, but " + std::to_string(ranks) + " run", .where = "--gpus"};
    return {};
}

Result<void> checkInput(const StepInput &input, std::int64_t tokens, std::int64_t vocab)
{
    for (const auto &[ids, what] : {std::pair(input.tokens, "token"), std::pair(input.targets, "target")}) {
        if (const Result<void> size = checkSize(ids, what, tokens); !size)
            return size;
        if (const Result<void> range = checkIds(ids, what, vocab); !range)
            return range;
    }
    return {};
}

} // namespace slipway
