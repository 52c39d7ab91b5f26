// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Evaluates laws of loss and batch size. Their constants are in resources/catalogue/scaling_laws.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "hardware/catalogue.h"
#include "model/model_spec.h"

namespace slipway {

// The N of a law: all active parameters, or those outside embedding and head (Kaplan et al. 2020).
double parametersFor(const ScalingLaw &law, const ModelSpec &model);

// L(N, D) in nats per token.
double expectedLoss(const ScalingLaw &law, double parameters, double tokens);

// One standard error of L(N, D) in nats per token. The errors of A and alpha are correlated, as are those of B and
// beta: a term is most certain at the center of the fitted runs, and its error grows with the logarithm of the distance
// from there. Empty: the law has no standard errors.
std::optional<double> lossStandardError(const ScalingLaw &law, double parameters, double tokens);

// Whether N and D are within the range of the runs that the law was fitted to; true if that range is unknown.
bool withinFit(const ScalingLaw &law, double parameters, double tokens);

// Tokens after which the law predicts `loss`, in nats per token. Empty: this model size does not reach it.
std::optional<double> tokensForLoss(const ScalingLaw &law, double parameters, double loss);

// The model size and the number of tokens with the lowest loss for 6 N D FLOPs.
struct ComputeOptimum {
    double parameters = 0, tokens = 0;
};
ComputeOptimum computeOptimum(const ScalingLaw &law, double flops);

// What a batch law recommends, in tokens per step.
struct BatchAdvice {
    std::string law, lawTitle;
    bool critical = false; // the critical batch size, beyond which more samples save fewer steps; else the optimal one
    double tokens = 0;
    bool operator==(const BatchAdvice &) const = default;
};
struct TrainingPoint {
    double tokens = 0, flops = 0;
    std::optional<double> loss;
};
// Recommendations of all laws whose coefficient and variable are known.
std::vector<BatchAdvice> batchAdvice(const std::vector<BatchLaw> &laws, const TrainingPoint &at);

} // namespace slipway
