// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// The live instances of a buffer at an instant.
struct LiveBuffer {
    std::string name;
    Role role = Role::Activation;
    DType type = DType::Fp32;
    Scope scope = Scope::MicroBatch;
    int instances = 0; // layers and micro-batches in flight
    Bytes bytes = 0;   // of all of them
    bool operator==(const LiveBuffer &) const = default;
};

// Of a pipeline stage, as memoryOverStep() has its points.
Result<std::vector<LiveBuffer>> buffersAt(
    const RunConfig &config, const Catalogue &catalogue, std::size_t instant, std::size_t stage = 0);

// What is alive while the n-th op of memoryInstants() (memory/memory_walk.h) runs; largest first.
std::vector<LiveBuffer> buffersAt(const StepPlan &plan, std::size_t instant);

} // namespace slipway
