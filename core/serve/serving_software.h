// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Profiles of software that serves models: data in resources/frameworks/serving, with the schema of training profiles
// (frameworks/framework_profile.h). Each field has an origin.
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
    std::string id, title, version;          // version: as requested; empty: the newest
    std::int64_t block = 16;                 // tokens of a cache block; 0: the cache is not paged
    double memoryFraction = 1;               // limit of the device memory, as a fraction
    double poolFraction = 1;                 // of the memory without weights and activations: limit of the cache
    bool reservesPool = false;               // reserves the pool at its start
    bool continuousBatching = true;          // false: a batch begins and ends together
    std::int64_t batchedTokens = 8192;       // per step; longer prompts are prefilled in chunks
    std::int64_t sequences = 256;            // at once
    bool cudaGraphs = false;                 // for decode steps
    Seconds launch = 5e-6;                   // host time per kernel outside a CUDA graph
    Seconds step = 0;                        // further host time per step: scheduling, detokenization
    std::string attentionKernel = "flash-2"; // name in rates.yaml
    bool fusedAttention = true;
    bool growsCache = false;
    bool allLogits = false;
    bool freesWindow = true;              // frees cached keys outside the sliding window
    bool quantizesTables = false;         // quantizes embedding and head like linear layers
    double int8Bits = 8, int4Bits = 4.25; // per weight, with scales
    std::int64_t normKernels = 1, ropeKernels = 1, activationKernels = 1; // launches per module
    bool trainerKernels = false;  // loads the kernels of Slipway's trainer, which take memory outside the allocator
    bool fusesProjections = true; // one GEMM for queries, keys and values, one for gate and up
    double int8BandwidthFraction = 0,
           int4BandwidthFraction = 0;    // attention over the cache
    double cacheBandwidthFraction = 0;   // attention over the cache
    Seconds cacheLatency = 0;            // additional time of such an attention kernel
    Seconds cacheTimePerKey = 0;         // time per key, if one thread block computes a whole head of a sequence
    Seconds allReduceLatency = 0;        // of its own all-reduce kernel within a node; 0: NCCL's
    Seconds allReduceLatencyPerRank = 0; // in addition, per rank
    std::vector<AppliedField> fields;    // values from the profile, with their origins
    bool operator==(const ServingSoftware &) const = default;
};

// The shipped profiles, then the user's own (the folder `serving` in the user's folder of frameworks).
Result<Frameworks> loadServingFrameworks(const std::filesystem::path &resources = resourceDirectory());

// NAME[@VERSION|@DATE] on a GPU of this generation.
Result<ServingSoftware> servingSoftware(std::string_view name, std::string_view arch, const Frameworks &frameworks);

// Checks that all fields of all profiles exist and have an accepted value.
Result<void> checkServingFrameworks(const Frameworks &frameworks);

} // namespace slipway
