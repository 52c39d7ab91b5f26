// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The router of a mixture of experts: which experts a token goes to, with which weights, and the losses that keep the
// experts evenly used.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

enum class RouterScore : std::uint8_t { Softmax, Sigmoid };

struct Router {
    std::int64_t tokens = 0, experts = 0, topK = 0;
    RouterScore score = RouterScore::Softmax;
    // Weights of a token are divided by their sum. With softmax that is the softmax of the chosen logits alone, so that
    // "top-k, then softmax" (Mixtral) is said by it as well.
    bool normalised = false;
    float scale = 1; // of the weights, after that
};

struct RouterResult {
    std::int32_t *chosen = nullptr; // [tokens, topK], best first; of equal ones the first
    float *weights = nullptr;       // [tokens, topK]
    float *logSums = nullptr;       // [tokens]: log of the sum of exponentials, for the z-loss; null: not wanted
};
// Replaces the logits [tokens, experts] by their scores.
void route(const Router &router, float *logits, const RouterResult &result);

// What the losses are made of, summed over tokens, and over layers where they share it: how often an expert was chosen,
// and its scores. Both [experts], in an order that never changes.
struct ExpertSums {
    float *counts = nullptr, *scores = nullptr;
    bool accumulate = false;
};
void addExpertSums(const Router &router, const float *scores, const std::int32_t *chosen, const ExpertSums &sums);

// Switch Transformer's loss as Transformers' load_balancing_loss_func has it: experts x the sum over the experts of
// their mean count times their mean score. `tokens` counts those of every layer that was summed.
double loadBalancingLoss(std::int64_t experts, std::int64_t tokens, const ExpertSums &sums);
// The sum over the tokens of the squares of logSums (Zoph et al. 2022).
double routerZLoss(std::int64_t tokens, const float *logSums);

struct RouterGradient {
    const std::int32_t *chosen = nullptr;
    const float *weights = nullptr, *dweights = nullptr;
    // Of the losses, which are the softmax's alone. What the sum over the tokens of a score's product with its expert's
    // count is multiplied by: coefficient x experts / tokens^2.
    const float *counts = nullptr;
    float balance = 0;
    // And the sum over the tokens of the squares of logSums: coefficient / tokens.
    const float *logSums = nullptr;
    float zLoss = 0;
};
// Replaces the scores by the logits' gradient.
void routeBackward(const Router &router, const RouterGradient &gradient, float *scores);

} // namespace slipway::cpu_ops
