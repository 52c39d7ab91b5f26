// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The router of a mixture of experts: the experts of each token and their weights, and the auxiliary losses that
// balance the load of the experts.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

enum class RouterScore : std::uint8_t { Softmax, Sigmoid };

struct Router {
    std::int64_t tokens = 0, experts = 0, topK = 0;
    RouterScore score = RouterScore::Softmax;
    // Divides the weights of a token by their sum. With softmax this equals the softmax of the chosen logits, so it
    // also covers "top-k, then softmax" (Mixtral).
    bool normalised = false;
    float scale = 1; // factor of the weights, after normalization
};

struct RouterResult {
    std::int32_t *chosen = nullptr; // [tokens, topK], highest score first; of equal scores the lower expert
    float *weights = nullptr;       // [tokens, topK]
    float *logSums = nullptr;       // [tokens]: log-sum-exp of the logits, for the z-loss; null: not computed
};
// Replaces the logits [tokens, experts] by their scores.
void route(const Router &router, float *logits, const RouterResult &result);

// Sums over tokens that the losses need, [experts] each: how often an expert was chosen, and its scores. With
// `accumulate`, the sums of several layers are added. The order of summation is fixed.
struct ExpertSums {
    float *counts = nullptr, *scores = nullptr;
    bool accumulate = false;
};
void addExpertSums(const Router &router, const float *scores, const std::int32_t *chosen, const ExpertSums &sums);

// The loss of Switch Transformer, as in Transformers' load_balancing_loss_func: experts x the sum over the experts of
// mean count x mean score. `tokens` counts the tokens of all layers that were summed.
double loadBalancingLoss(std::int64_t experts, std::int64_t tokens, const ExpertSums &sums);
// The sum over the tokens of the squares of logSums (Zoph et al. 2022).
double routerZLoss(std::int64_t tokens, const float *logSums);

struct RouterGradient {
    const std::int32_t *chosen = nullptr;
    const float *weights = nullptr, *dweights = nullptr;
    // Load-balancing loss, for softmax scores only: balance = coefficient x experts / tokens^2.
    const float *counts = nullptr;
    float balance = 0;
    // Router z-loss: zLoss = coefficient / tokens.
    const float *logSums = nullptr;
    float zLoss = 0;
};
// Replaces the scores by the gradient of the logits.
void routeBackward(const Router &router, const RouterGradient &gradient, float *scores);

} // namespace slipway::cpu_ops
