// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures serving speed: the generator with a decoder, on random weights and random prompts. All requests of a batch
// arrive at once, and all prompts are processed before any sequence decodes, as in the plan's throughput. So the times
// of prefill and decode steps can be separated, whatever the batch size.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "run/sequence_decoder.h"
#include "serve/serving.h"
#include "state/hf_weights.h"

namespace slipway {

struct ServeBenchPoint {
    std::int64_t batch = 1, prompt = 64, generate = 32; // concurrent sequences; tokens per prompt; output tokens
    bool operator==(const ServeBenchPoint &) const = default;
};

struct ServeBench {
    ServeBenchPoint point;
    Seconds ttft = 0;           // time to first token of one request on an idle server, as ServedMetric::Ttft
    Seconds batchTtft = 0;      // from the arrival of the batch until every sequence has its first token
    Seconds tpot = 0;           // mean time of a decode step of the batch; 0 if each request generates one token
    double tokensPerSecond = 0; // output tokens of the batch, from its arrival to its last token
    Bytes cache = 0;            // peak size of the KV cache in use after a step
    Bytes plannedCache = 0;     // size of the KV cache for these tokens in the plan
};

// Random weights (normal, standard deviation 0.02; norms 1), as speed does not depend on the values.
std::vector<HfWeight> benchWeights(const ModelSpec &model);

using BenchClock = std::function<Seconds()>;
Seconds steadyTime();

// `serving`: the configuration of the same model, weight type and cache type, for plannedCache. Each measurement
// follows an untimed one of the same shape, which loads kernels, chooses algorithms and allocates memory. The clock is
// read only after a decoder has returned logits, when its device is idle.
ServeBench benchServe(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point,
    const BenchClock &clock = steadyTime);

} // namespace slipway
