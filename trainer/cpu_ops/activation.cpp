// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/activation.h"

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kGatedRowGrain = 8;

// A function and its derivative at a point.
struct Point {
    float value, slope;
};

struct Gradients {
    float gate, up;
};

// The functions that the loops below call. Only SiLU defines its own gradients, which share a factor.
template<typename Function>
struct ByPoint { // NOLINT(bugprone-crtp-constructor-accessibility): its heirs are aggregates without data
    [[gnu::always_inline]] static float value(float x) { return Function::at(x).value; }
    [[gnu::always_inline]] static float slope(float x) { return Function::at(x).slope; }
    [[gnu::always_inline]] static Gradients gradients(float gate, float up, float d)
    {
        const Point f = Function::at(gate);
        return {d * up * f.slope, d * f.value};
    }
};

// silu'(x) = s (1 + x (1 - s)) with s = sigmoid(x).
struct Silu {
    [[gnu::always_inline]] static float value(float x) { return x / (1.0f + fastExp(-x)); }
    [[gnu::always_inline]] static float slope(float x)
    {
        const float sigmoid = 1.0f / (1.0f + fastExp(-x));
        return sigmoid * (1.0f + x * (1.0f - sigmoid));
    }
    [[gnu::always_inline]] static Gradients gradients(float g, float u, float d)
    {
        const float sigmoid = 1.0f / (1.0f + fastExp(-g));
        return {d * u * sigmoid * (1.0f + g * (1.0f - sigmoid)), d * g * sigmoid};
    }
};

// (1 + tanh u) / 2 = sigmoid(2u), which keeps its digits where tanh is near -1.
struct GeluTanh : ByPoint<GeluTanh> {
    [[gnu::always_inline]] static Point at(float x)
    {
        constexpr float kTwice = 1.5957691216057308f, kCube = 0.044715f; // 2 sqrt(2/pi)
        const float sigmoid = 1.0f / (1.0f + fastExp(-kTwice * (x + kCube * x * x * x)));
        return {x * sigmoid, sigmoid + x * sigmoid * (1.0f - sigmoid) * kTwice * (1.0f + 3.0f * kCube * x * x)};
    }
};

// x Phi(x) with the normal distribution Phi. Its tail beyond |x| is phi(x) times a polynomial in t = 1 / (1 + z/2), z =
// |x| / sqrt 2: a Chebyshev fit of exp(z^2) erfc(z) / t, with an error of at most 4e-8 for z up to 9.4.
struct GeluErf : ByPoint<GeluErf> {
    [[gnu::always_inline]] static Point at(float x)
    {
        const float size = x < 0.0f ? -x : x;
        const float t = 1.0f / (1.0f + 0.5f * 0.70710678118654752f * size);
        float p = -0.05925186145376627f;
        p = p * t + 0.285567481731926f;
        p = p * t - 0.48944296418685174f;
        p = p * t + 0.280815457177184f;
        p = p * t - 0.028613013892863817f;
        p = p * t + 0.20355025402812474f;
        p = p * t + 0.24288517727306289f;
        p = p * t + 0.2824045931797583f;
        p = p * t + 0.28208483700197984f;
        const float bell = fastExp(-0.5f * x * x);
        const float tail = 0.5f * bell * p * t, below = x < 0.0f ? tail : 1.0f - tail;
        return {x * below, below + x * bell * 0.39894228040143268f};
    }
};

struct Relu : ByPoint<Relu> {
    [[gnu::always_inline]] static Point at(float x) { return {x > 0.0f ? x : 0.0f, x > 0.0f ? 1.0f : 0.0f}; }
};

struct Relu2 : ByPoint<Relu2> {
    [[gnu::always_inline]] static Point at(float x)
    {
        const float positive = x > 0.0f ? x : 0.0f;
        return {positive * positive, 2.0f * positive};
    }
};

struct QuickGelu : ByPoint<QuickGelu> {
    [[gnu::always_inline]] static Point at(float x)
    {
        constexpr float kSteepness = 1.702f;
        const float sigmoid = 1.0f / (1.0f + fastExp(-kSteepness * x));
        return {x * sigmoid, sigmoid + kSteepness * x * sigmoid * (1.0f - sigmoid)};
    }
};

// Calls loop(function) with the function of this kind. It is inlined, so that the loop is compiled for each level of
// x86-64.
template<typename Loop>
[[gnu::always_inline]] inline void withFunction(Activation kind, const Loop &loop)
{
    switch (kind) {
    case Activation::Silu:
        return loop(Silu{});
    case Activation::GeluTanh:
        return loop(GeluTanh{});
    case Activation::GeluErf:
        return loop(GeluErf{});
    case Activation::Relu:
        return loop(Relu{});
    case Activation::Relu2:
        return loop(Relu2{});
    case Activation::QuickGelu:
        return loop(QuickGelu{});
    }
}

SLIPWAY_SIMD void productRow(Activation kind, std::int64_t width, const float *gate, const float *up, float *product)
{
    withFunction(kind, [=](auto function) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            product[j] = function.value(gate[j]) * up[j];
    });
}

SLIPWAY_SIMD void productGradientRow(Activation kind, std::int64_t width, const float *dproduct, float *gate, float *up)
{
    withFunction(kind, [=](auto function) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j) {
            const Gradients gradients = function.gradients(gate[j], up[j], dproduct[j]);
            gate[j] = gradients.gate;
            up[j] = gradients.up;
        }
    });
}

SLIPWAY_SIMD void valueRow(Activation kind, std::int64_t width, const float *x, float *y)
{
    withFunction(kind, [=](auto function) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            y[j] = function.value(x[j]);
    });
}

SLIPWAY_SIMD void gradientRow(Activation kind, std::int64_t width, const float *dy, float *x)
{
    withFunction(kind, [=](auto function) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            x[j] = dy[j] * function.slope(x[j]);
    });
}

} // namespace

void gatedActivation(Rows shape, Activation kind, const float *gateUp, float *product)
{
    parallelRanges(shape.rows, kGatedRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float *gate = gateUp + i * 2 * shape.width;
            productRow(kind, shape.width, gate, gate + shape.width, product + i * shape.width);
        }
    });
}

void gatedActivationBackward(Rows shape, Activation kind, const float *dproduct, float *gateUp)
{
    parallelRanges(shape.rows, kGatedRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *gate = gateUp + i * 2 * shape.width;
            productGradientRow(kind, shape.width, dproduct + i * shape.width, gate, gate + shape.width);
        }
    });
}

void activate(Rows shape, Activation kind, const float *x, float *y)
{
    parallelRanges(shape.rows * shape.width, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { valueRow(kind, end - begin, x + begin, y + begin); });
}

void activateBackward(Rows shape, Activation kind, const float *dy, float *x)
{
    parallelRanges(shape.rows * shape.width, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { gradientRow(kind, end - begin, dy + begin, x + begin); });
}

} // namespace slipway::cpu_ops
