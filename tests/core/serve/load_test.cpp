// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/load.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

// A server whose steps take a fixed time, whatever they do.
LoadServer steady(Seconds step)
{
    return {.time = [step](const LoadStep &) { return step; },
        .cache = [](std::int64_t tokens) { return tokens; },
        .pool = 1'000'000,
        .prompt = 8,
        .generate = 4,
        .sequences = 64};
}

TEST(Load, ALoneRequestTakesAStepForEachToken)
{
    const LoadResult result = simulateLoad(steady(0.5), 1e-6, 100, 1);
    EXPECT_NEAR(result.ttft.p50, 0.5, 1e-6);
    EXPECT_NEAR(result.tpot.p50, 0.5, 1e-6);
    EXPECT_NEAR(result.latency.p99, 2.0, 1e-6);
    EXPECT_EQ(result.preemptions, 0);
}

TEST(Load, LongPromptsAreTakenInParts)
{
    LoadServer server = steady(1);
    server.batchedTokens = 3;
    EXPECT_NEAR(simulateLoad(server, 1e-7, 100, 1).ttft.p50, 3, 1e-5); // 3 + 3 + 2 tokens
}

TEST(Load, EveryTokenIsCountedOnce)
{
    LoadServer server = steady(0);
    std::int64_t decoded = 0, prompts = 0;
    server.time = [&](const LoadStep &step) {
        decoded += step.decoding;
        prompts += step.prefillTokens;
        return 0.01;
    };
    simulateLoad(server, 50, 300, 3);
    EXPECT_EQ(decoded, 300 * 3); // the first token comes with the prompt
    EXPECT_EQ(prompts, 300 * 8);
}

TEST(Load, AServerOfOneSequenceWaitsAsAQueueWithFixedServiceDoes)
{
    LoadServer server = steady(1);
    server.generate = 1;
    server.sequences = 1;
    // Pollaczek and Khinchin: the mean wait of M/D/1 is rho / (2 (1 - rho)) of a service; at 0.5, half of one. The
    // probability to find it idle is 0.5, and the median request is the one that just does not wait.
    const LoadResult result = simulateLoad(server, 0.5, 50'000, 7);
    EXPECT_NEAR(result.meanBatch, 0.5, 0.02);
    EXPECT_GE(result.ttft.p50, 1);
    EXPECT_LT(result.ttft.p50, 1.1);
    EXPECT_NEAR(result.ttft.p99, 4.2, 0.4); // of the waiting time's distribution (Erlang 1909), plus the service
}

TEST(Load, WhatOneSequenceWaitsForManyServeAtOnce)
{
    LoadServer server = steady(0.1);
    const LoadResult many = simulateLoad(server, 5, 2000, 5);
    server.sequences = 1;
    const LoadResult one = simulateLoad(server, 5, 2000, 5); // takes 0.4 s a request: more come than it can answer
    EXPECT_LT(many.latency.p99, 1);
    EXPECT_GT(one.latency.p99, 10 * many.latency.p99);
}

TEST(Load, ASequenceThatGivesWayIsAnsweredNevertheless)
{
    LoadServer server = steady(0.1);
    server.pool = 25; // two sequences with their prompts; in the end each has 11 tokens in the cache
    std::int64_t most = 0;
    server.time = [&](const LoadStep &step) {
        most = std::max(most, step.decoding);
        return 0.1;
    };
    server.pool = 18; // prompts of 8 and 8, but not both answers
    const LoadResult result = simulateLoad(server, 100, 200, 9);
    EXPECT_GT(result.preemptions, 0);
    EXPECT_LE(most, 2);
    EXPECT_GT(result.latency.p50, 0);
}

TEST(Load, ABatchThatEndsTogetherLetsNewOnesWait)
{
    LoadServer server = steady(0.1);
    const LoadResult continuous = simulateLoad(server, 8, 1000, 2);
    server.continuous = false;
    const LoadResult together = simulateLoad(server, 8, 1000, 2);
    EXPECT_GT(together.ttft.p50, continuous.ttft.p50);
}

TEST(Load, TheSameSeedGivesTheSameAnswer)
{
    EXPECT_EQ(simulateLoad(steady(0.1), 5, 500, 4), simulateLoad(steady(0.1), 5, 500, 4));
    EXPECT_NE(simulateLoad(steady(0.1), 5, 500, 4), simulateLoad(steady(0.1), 5, 500, 5));
}

} // namespace
} // namespace slipway
