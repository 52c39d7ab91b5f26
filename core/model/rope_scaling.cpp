// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/rope_scaling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace slipway {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

Error refused(std::string what, std::string accepted)
{
    return {.what = std::move(what), .where = "rope_scaling", .accepted = std::move(accepted)};
}

// Slow rotations are slowed further, fast ones stay, those between are blended (Llama 3.1).
void scaleAsLlama3(const Rope &rope, std::vector<double> &inverse)
{
    const double trained = rope.trainedPositions;
    for (double &frequency : inverse) {
        const double wavelength = kTwoPi / frequency;
        if (wavelength > trained / rope.lowFrequencyFactor) {
            frequency /= rope.factor;
        } else if (wavelength >= trained / rope.highFrequencyFactor) {
            const double kept =
                (trained / wavelength - rope.lowFrequencyFactor) / (rope.highFrequencyFactor - rope.lowFrequencyFactor);
            frequency = (1 - kept) * frequency / rope.factor + kept * frequency;
        }
    }
}

// YaRN (arXiv 2309.00071): the pair that turns so often within the trained positions.
double pairOfRotations(double rotations, int dims, const Rope &rope)
{
    return dims * std::log(rope.trainedPositions / (rotations * kTwoPi)) / (2 * std::log(rope.base));
}

void scaleAsYarn(const Rope &rope, int dims, std::vector<double> &inverse)
{
    double low = pairOfRotations(rope.betaFast, dims, rope), high = pairOfRotations(rope.betaSlow, dims, rope);
    if (rope.truncates) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dims - 1.0);
    if (low == high)
        high += 0.001;
    for (std::size_t i = 0; i < inverse.size(); ++i) {
        const double slowed = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
        inverse[i] = inverse[i] / rope.factor * slowed + inverse[i] * (1 - slowed);
    }
}

double yarnAttention(const Rope &rope)
{
    const auto scale = [&](double mscale) { return rope.factor <= 1 ? 1.0 : 0.1 * mscale * std::log(rope.factor) + 1; };
    return rope.mscale > 0 && rope.mscaleAllDim > 0 ? scale(rope.mscale) / scale(rope.mscaleAllDim) : scale(1);
}

// LongRoPE (arXiv 2402.13753).
Result<void> scaleAsLongrope(const Rope &rope, std::int64_t seqLen, RopeFrequencies &frequencies)
{
    const std::vector<double> &factors = seqLen > rope.trainedPositions ? rope.longFactors : rope.shortFactors;
    if (factors.size() != frequencies.inverse.size())
        return refused(fmt::format("LongRoPE has {} factors for {} pairs of dimensions", factors.size(),
                           frequencies.inverse.size()),
            "short_factor and long_factor with one number for each pair");
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (!(factors[i] > 0))
            return refused(fmt::format("{} is not a valid LongRoPE factor", factors[i]), "numbers above 0");
        frequencies.inverse[i] /= factors[i];
    }
    if (rope.factor > 1)
        frequencies.attentionFactor = std::sqrt(1 + std::log(rope.factor) / std::log(rope.trainedPositions));
    return {};
}

Result<void> checkScaling(const Rope &rope)
{
    if (rope.scaling == RopeScaling::Dynamic)
        return refused("RoPE scaling 'dynamic' depends on the longest sequence so far, which is not supported",
            "default, linear, llama3, yarn, longrope");
    if (!(rope.factor > 0))
        return refused(fmt::format("{} is not a valid RoPE scaling factor", rope.factor), "a number above 0");
    const bool needsTrained = rope.scaling != RopeScaling::Default && rope.scaling != RopeScaling::Linear;
    if (needsTrained && rope.trainedPositions < 2)
        return refused("the RoPE scaling needs the model's original number of positions",
            "original_max_position_embeddings: 2 or more");
    if (rope.scaling == RopeScaling::Llama3 &&
        !(rope.lowFrequencyFactor > 0 && rope.highFrequencyFactor > rope.lowFrequencyFactor))
        return refused("low_freq_factor is not between 0 and high_freq_factor", "usually 1 and 4");
    if (rope.scaling == RopeScaling::Yarn && !(rope.betaFast > 0 && rope.betaSlow > 0 && rope.base > 1))
        return refused("YaRN's beta_fast, beta_slow or base is too small", "usually 32, 1 and 10000");
    return {};
}

} // namespace

int rotatedDimensions(const Rope &rope, int headDim) { return static_cast<int>(headDim * rope.fraction) / 2 * 2; }

Result<RopeFrequencies> ropeFrequencies(const Rope &rope, int headDim, std::int64_t seqLen)
{
    if (const Result<void> checked = checkScaling(rope); !checked)
        return checked.error();
    const int dims = rotatedDimensions(rope, headDim);
    RopeFrequencies frequencies;
    for (int i = 0; i < dims; i += 2)
        frequencies.inverse.push_back(std::pow(rope.base, -static_cast<double>(i) / dims));
    if (rope.scaling == RopeScaling::Linear) {
        for (double &frequency : frequencies.inverse)
            frequency /= rope.factor;
    } else if (rope.scaling == RopeScaling::Llama3) {
        scaleAsLlama3(rope, frequencies.inverse);
    } else if (rope.scaling == RopeScaling::Yarn) {
        scaleAsYarn(rope, dims, frequencies.inverse);
        frequencies.attentionFactor = yarnAttention(rope);
    } else if (rope.scaling == RopeScaling::Longrope) {
        if (const Result<void> scaled = scaleAsLongrope(rope, seqLen, frequencies); !scaled)
            return scaled.error();
    }
    if (rope.attentionFactor > 0)
        frequencies.attentionFactor = rope.attentionFactor;
    return frequencies;
}

} // namespace slipway
