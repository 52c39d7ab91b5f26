// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/group_communicators.h"

#include "plan/data_parallel.h"
#include "plan/mesh.h"

namespace slipway {

GroupCommunicators::GroupCommunicators(const StepPlan &plan, Communicator &world)
{
    for (const Group &group : plan.groups) {
        if (group.size == world.size() && !hasOwnOrder(group.axis)) {
            all.push_back(&world);
            continue;
        }
        const int place = world.rank() / group.stride % group.size;
        own.push_back(world.split(world.rank() - place * group.stride));
        all.push_back(own.back().get());
    }
}

} // namespace slipway
