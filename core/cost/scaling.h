// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Laws of loss and batch size, evaluated. Their constants are data (resources/catalogue/scaling_laws.yaml).
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

// L(N, D), nats a token.
double expectedLoss(const ScalingLaw &law, double parameters, double tokens);

// One standard error of L(N, D). The errors of A and alpha, and of B and beta, go together: a term is known best in the
// middle of the runs that it was fitted to, and loses certainty with the logarithm of the distance from there. Empty:
// the law comes without standard errors.
std::optional<double> lossStandardError(const ScalingLaw &law, double parameters, double tokens);

// Whether N and D lie within the runs that the law was fitted to; true where these are not known.
bool withinFit(const ScalingLaw &law, double parameters, double tokens);

// Tokens until the law promises `loss`; empty: this size never reaches it.
std::optional<double> tokensForLoss(const ScalingLaw &law, double parameters, double loss);

// The size and tokens that make the loss least for a compute of 6 N D FLOPs.
struct ComputeOptimum {
    double parameters = 0, tokens = 0;
};
ComputeOptimum computeOptimum(const ScalingLaw &law, double flops);

// A batch law's answer, in tokens a step.
struct BatchAdvice {
    std::string law, lawTitle;
    bool critical = false; // beyond it more samples a step no longer save as many steps; else the best batch
    double tokens = 0;
    bool operator==(const BatchAdvice &) const = default;
};
struct TrainingPoint {
    double tokens = 0, flops = 0;
    std::optional<double> loss;
};
// Of every law whose coefficient is known and whose variable is.
std::vector<BatchAdvice> batchAdvice(const std::vector<BatchLaw> &laws, const TrainingPoint &at);

} // namespace slipway
