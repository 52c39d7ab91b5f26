// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Requests that arrive at random at a server with continuous batching, simulated step by step (Yu et al. 2022, Orca,
// OSDI; Kwon et al. 2023, PagedAttention, arXiv 2309.06180): what waits for whom, and how long.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"

namespace slipway {

// What a step has to do.
struct LoadStep {
    std::int64_t decoding = 0;      // sequences that get one more token
    std::int64_t prefillTokens = 0; // of prompts, all together
    bool operator==(const LoadStep &) const = default;
};

struct LoadServer {
    std::function<Seconds(const LoadStep &)> time;
    std::function<Bytes(std::int64_t tokens)> cache; // of one sequence of so many tokens; never less for more of them
    Bytes pool = 0;                                  // for all sequences; must hold one of whole length
    std::int64_t prompt = 1, generate = 1;           // tokens of each request
    std::int64_t sequences = 1;                      // at once, at most
    std::int64_t batchedTokens = 8192;               // of a step, at most; longer prompts are taken in parts
    bool continuous = true;                          // else a batch begins and ends together
};

struct Percentiles {
    Seconds p50 = 0, p99 = 0;
    bool operator==(const Percentiles &) const = default;
};

struct LoadResult {
    Percentiles ttft;             // from a request's arrival to its first token
    Percentiles tpot;             // mean time of each further token of a request
    Percentiles latency;          // from its arrival to its last token
    double tokensPerSecond = 0;   // of answers, over the whole simulation
    double meanBatch = 0;         // sequences at once, over time
    std::int64_t preemptions = 0; // sequences that gave their cache back to others and began anew
    bool operator==(const LoadResult &) const = default;
};

// Arrivals are a Poisson process of `perSecond` requests; the same seed gives the same ones. The first tenth of the
// requests warms the server up and is left out of the percentiles.
LoadResult simulateLoad(const LoadServer &server, double perSecond, int requests, std::uint64_t seed);

} // namespace slipway
