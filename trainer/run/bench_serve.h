// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures serving speed: the generator with a decoder, on random weights and random prompts.
#pragma once

#include <cstdint>
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
    Seconds ttft = 0;           // time to first token of a single prompt
    Seconds tpot = 0;           // median time of pure decode steps, without chunks of prompts
    double tokensPerSecond = 0; // output tokens, from the first prompt to the last token
    Bytes cache = 0;            // peak of the KV cache in use after a step
    Bytes plannedCache = 0;     // size of the KV cache for these tokens by the plan
};

// Random weights (normal, standard deviation 0.02; norms 1), as speed does not depend on the values.
std::vector<HfWeight> benchWeights(const ModelSpec &model);

// `serving`: the configuration of the same model, weight type and cache type, for plannedCache.
ServeBench benchServe(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point);

} // namespace slipway
