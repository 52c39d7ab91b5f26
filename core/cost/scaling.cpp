// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/scaling.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr double kFlopsPerParameterAndToken = 6; // Kaplan et al. 2020, section 2.1

double parameterTerm(const ScalingLaw &law, double parameters) { return law.a / std::pow(parameters, law.alpha); }
double tokenTerm(const ScalingLaw &law, double tokens) { return law.b / std::pow(tokens, law.beta); }

// How far from the middle of the fit, as a logarithm.
double distance(double value, double low, double high)
{
    return low > 0 && high > low ? std::log(value / std::sqrt(low * high)) : 0;
}

// Where the loss falls on either side no more, over the logarithm of N at constant N D.
double optimalParameters(const ScalingLaw &law, double product)
{
    constexpr double golden = 0.6180339887498949;
    double low = 0, high = std::log(product);
    const auto loss = [&](double logN) { return expectedLoss(law, std::exp(logN), product / std::exp(logN)); };
    for (int i = 0; i < 80; ++i) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        (loss(left) < loss(right) ? high : low) = loss(left) < loss(right) ? right : left;
    }
    return std::exp((low + high) / 2);
}

} // namespace

double parametersFor(const ScalingLaw &law, const ModelSpec &model)
{
    const auto all = static_cast<double>(activeParameterCount(model));
    if (law.form == LossForm::Sum)
        return all;
    return std::max(1.0, all - static_cast<double>(model.vocab) * model.hidden * (model.head.tied ? 1 : 2));
}

double expectedLoss(const ScalingLaw &law, double parameters, double tokens)
{
    if (law.form == LossForm::Kaplan)
        return std::pow(std::pow(law.a / parameters, law.alpha / law.beta) + law.b / tokens, law.beta);
    return law.e + parameterTerm(law, parameters) + tokenTerm(law, tokens);
}

std::optional<double> lossStandardError(const ScalingLaw &law, double parameters, double tokens)
{
    if (!law.seE || law.form != LossForm::Sum)
        return std::nullopt;
    const double ofN = parameterTerm(law, parameters) * law.seAlpha.value_or(0) *
                       distance(parameters, law.parametersLow, law.parametersHigh);
    const double ofD =
        tokenTerm(law, tokens) * law.seBeta.value_or(0) * distance(tokens, law.tokensLow, law.tokensHigh);
    return std::sqrt(*law.seE * *law.seE + ofN * ofN + ofD * ofD);
}

bool withinFit(const ScalingLaw &law, double parameters, double tokens)
{
    const auto within = [](double value, double low, double high) {
        return high <= 0 || (value >= low && value <= high);
    };
    return within(parameters, law.parametersLow, law.parametersHigh) && within(tokens, law.tokensLow, law.tokensHigh);
}

std::optional<double> tokensForLoss(const ScalingLaw &law, double parameters, double loss)
{
    const bool kaplan = law.form == LossForm::Kaplan;
    const double left = kaplan ? std::pow(loss, 1 / law.beta) - std::pow(law.a / parameters, law.alpha / law.beta)
                               : loss - law.e - parameterTerm(law, parameters);
    if (!(left > 0))
        return std::nullopt;
    const double tokens = kaplan ? law.b / left : std::pow(law.b / left, 1 / law.beta);
    return std::isfinite(tokens) ? std::optional(tokens) : std::nullopt;
}

// Hoffmann et al. 2022, equation 4.
ComputeOptimum computeOptimum(const ScalingLaw &law, double flops)
{
    const double product = flops / kFlopsPerParameterAndToken;
    if (!(product > 1))
        return {};
    const double sum = law.alpha + law.beta;
    const double parameters = law.form == LossForm::Sum ? std::pow(law.alpha * law.a / (law.beta * law.b), 1 / sum) *
                                                              std::pow(product, law.beta / sum)
                                                        : optimalParameters(law, product);
    return {parameters, product / parameters};
}

std::vector<BatchAdvice> batchAdvice(const std::vector<BatchLaw> &laws, const TrainingPoint &at)
{
    std::vector<BatchAdvice> advice;
    for (const BatchLaw &law : laws) {
        const std::optional<double> variable = law.of == BatchVariable::OfLoss     ? at.loss
                                               : law.of == BatchVariable::OfTokens ? at.tokens
                                                                                   : at.flops;
        if (law.coefficient && variable && *variable > 0)
            advice.push_back({.law = law.id,
                .lawTitle = law.title,
                .critical = law.critical,
                .tokens = *law.coefficient * std::pow(*variable, law.exponent)});
    }
    return advice;
}

} // namespace slipway
