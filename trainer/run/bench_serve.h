// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How fast this processor answers: the decoder under the generator, on random weights and random prompts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "run/sequence_decoder.h"
#include "serve/serving.h"
#include "state/hf_weights.h"

namespace slipway {

struct ServeBenchPoint {
    std::int64_t batch = 1, prompt = 64, generate = 32; // sequences at once; tokens of each prompt and answer
    bool operator==(const ServeBenchPoint &) const = default;
};

struct ServeBench {
    ServeBenchPoint point;
    Seconds ttft = 0;           // of one prompt alone: until its first token is drawn
    Seconds tpot = 0;           // median of the steps in which every sequence gets a token and none a part of a prompt
    double tokensPerSecond = 0; // of answers, from the first prompt to the last token
    Bytes cache = 0;            // the most that was in use after a step
    Bytes plannedCache = 0;     // of the tokens that were held then, by the plan
};

// Normal with standard deviation 0.02, norms at 1: speed does not depend on values.
std::vector<HfWeight> benchWeights(const ModelSpec &model);

// `serving`: the same model with the same types of weights and cache, which says what the plan has for the cache.
ServeBench benchServe(SequenceDecoder &decoder, const Serving &serving, const ServeBenchPoint &point);

} // namespace slipway
