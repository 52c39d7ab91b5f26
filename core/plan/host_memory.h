// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The host memory that offloading takes: what ZeRO-Offload, FSDP's CPUOffload and offloaded activations keep there.
#pragma once

#include <array>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

using HostMemory = std::array<Bytes, EnumNames<Role>::names.size()>; // bytes by Role

constexpr Bytes hostBytes(const HostMemory &memory)
{
    Bytes sum = 0;
    for (const Bytes bytes : memory)
        sum += bytes;
    return sum;
}

// Of one rank of a pipeline stage. `config` must be planned by buildPlan(). Buffers through which data is copied, and
// the memory of Python and of the data loader, are not counted.
HostMemory hostMemoryOfRank(const RunConfig &config, const ModelSpec &model, int stage);

// Of the node whose ranks need most. All 0 if nothing is offloaded.
HostMemory hostMemoryPerNode(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
