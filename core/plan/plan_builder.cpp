// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/plan_builder.h"

#include <algorithm>

#include "plan/kernel_work.h"

namespace slipway {

BufferId PlanBuilder::buffer(Buffer buffer)
{
    plan.buffers.push_back(std::move(buffer));
    return static_cast<BufferId>(plan.buffers.size() - 1);
}

KernelId PlanBuilder::kernel(Kernel kernel)
{
    addWork(kernel);
    const auto same = std::find(plan.kernels.begin(), plan.kernels.end(), kernel);
    if (same != plan.kernels.end())
        return static_cast<KernelId>(same - plan.kernels.begin());
    plan.kernels.push_back(kernel);
    return static_cast<KernelId>(plan.kernels.size() - 1);
}

KernelId PlanBuilder::collective(OpKind kind, DType type, std::int64_t elements, GroupId group)
{
    return kernel(
        {.kind = kind, .type = type, .m = 1, .n = elements, .messageBytes = elements * sizeOf(type), .group = group});
}

BlockId PlanBuilder::block(Block block)
{
    plan.blocks.push_back(std::move(block));
    return static_cast<BlockId>(plan.blocks.size() - 1);
}

} // namespace slipway
