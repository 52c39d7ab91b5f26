// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What software that serves models does, as data: profiles in resources/frameworks/serving, of the same schema as those
// of training (frameworks/framework_profile.h). Each field has an origin.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "config/apply_framework.h"
#include "frameworks/framework_profile.h"
#include "hardware/catalogue.h"

namespace slipway {

struct ServingSoftware {
    std::string id, title, version;          // version as asked for; empty: the newest
    std::int64_t block = 16;                 // tokens of a block; 0: no blocks
    double memoryFraction = 1;               // of the device's memory that it uses at most
    double poolFraction = 1;                 // of what is left beside weights and activations that the cache may have
    bool reservesPool = false;               // takes all of that when it starts
    bool continuousBatching = true;          // else a batch begins and ends together
    std::int64_t batchedTokens = 8192;       // of one step: longer prompts are taken in parts
    std::int64_t sequences = 256;            // at once
    bool cudaGraphs = false;                 // of steps without a part of a prompt
    Seconds launch = 5e-6;                   // host time of one kernel outside a CUDA graph
    Seconds step = 0;                        // host time of a step beside launches: scheduling, text
    std::string attentionKernel = "flash-2"; // of the planner: rates.yaml
    bool fusedAttention = true;
    bool growsCache = false;
    bool allLogits = false;
    bool freesWindow = true;              // keys that no window sees any more give their room back
    bool quantizesTables = false;         // embedding and head are quantized as linear layers
    double int8Bits = 8, int4Bits = 4.25; // of a weight, scales included
    std::int64_t normKernels = 1, ropeKernels = 1, activationKernels = 1; // launches of one such module
    bool fusesProjections = true;      // queries, keys and values are one GEMM, gate and up another
    double int8Part = 0, int4Part = 0; // of the data sheet's bandwidth that GEMMs of such weights reach; 0: as others
    double cachePart = 0;     // of the data sheet's bandwidth that attention over a cache reaches; 0: as other kernels
    Seconds cacheLatency = 0; // of such a kernel beside that
    Seconds cacheKey = 0;     // of a key, where such a kernel gives each head of a sequence to one block alone
    Seconds allReduceLatency = 0;        // of its own all-reduce over a node's links; 0: NCCL's
    Seconds allReduceLatencyPerRank = 0; // beside that
    std::vector<AppliedField> fields;    // what the profile has set, and how it is known
    bool operator==(const ServingSoftware &) const = default;
};

// The shipped profiles, then the user's own (serving, in their folder of frameworks).
Result<Frameworks> loadServingFrameworks(const std::filesystem::path &resources = resourceDirectory());

// NAME[@VERSION|@DATE] on a GPU of this generation.
Result<ServingSoftware> servingSoftware(std::string_view name, std::string_view arch, const Frameworks &frameworks);

// Whether every field of every profile is known, with a value that it takes.
Result<void> checkServingFrameworks(const Frameworks &frameworks);

} // namespace slipway
