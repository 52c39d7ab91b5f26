// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Simulates a server with continuous batching and random arrivals, step by step (Yu et al. 2022, Orca, OSDI; Kwon et
// al. 2023, PagedAttention, arXiv 2309.06180).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"

namespace slipway {

// The work of a step.
struct LoadStep {
    std::int64_t decoding = 0;      // sequences that get one more token
    std::int64_t prefillTokens = 0; // of all prompts
    bool operator==(const LoadStep &) const = default;
};

struct LoadServer {
    std::function<Seconds(const LoadStep &)> time;
    std::function<Bytes(std::int64_t tokens)> cache; // of one sequence; must not decrease with `tokens`
    Bytes pool = 0;                                  // for all sequences; at least the cache of one full sequence
    std::int64_t prompt = 1, generate = 1;           // tokens of each request
    std::int64_t sequences = 1;                      // at once, at most
    std::int64_t batchedTokens = 8192;               // per step, at most; longer prompts are prefilled in chunks
    bool continuous = true;                          // false: a batch begins and ends together
};

struct Percentiles {
    Seconds p50 = 0, p99 = 0;
    bool operator==(const Percentiles &) const = default;
};

struct LoadResult {
    Percentiles ttft;             // from a request's arrival to its first token
    Percentiles tpot;             // mean time of each further token of a request
    Percentiles latency;          // from its arrival to its last token
    double tokensPerSecond = 0;   // output tokens, over the whole simulation
    double meanBatch = 0;         // mean number of sequences over time
    std::int64_t preemptions = 0; // sequences whose cache was freed for others and that were prefilled again
    bool operator==(const LoadResult &) const = default;
};

// Arrivals are a Poisson process with `perSecond` requests per second. The same seed gives the same arrivals. The first
// tenth of the requests is warm-up and not part of the percentiles.
LoadResult simulateLoad(const LoadServer &server, double perSecond, int requests, std::uint64_t seed);

} // namespace slipway
