// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/measured_gemms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/kernel_work.h"

namespace slipway {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kSame = 1e-12;

std::array<double, 3> placeOf(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch)
{
    return {std::log(double(m * std::max<std::int64_t>(1, batch))), std::log(double(n)), std::log(double(k))};
}

GemmType typeOf(DType type)
{
    return type == DType::Fp8 ? GemmType::Fp8 : type == DType::Bf16 ? GemmType::Half : GemmType::Fp32;
}

} // namespace

MeasuredGemms::MeasuredGemms(const std::vector<MeasuredGemm> &gemms, const std::vector<Seconds> &modeled)
{
    for (std::size_t i = 0; i < gemms.size(); ++i) {
        const MeasuredGemm &p = gemms[i];
        m_points.push_back(
            {.type = p.type, .at = placeOf(p.m, p.n, p.k, p.batch), .residual = std::log(p.seconds / modeled[i])});
    }
}

double MeasuredGemms::mean(GemmType type, const std::array<double, 3> &at, std::size_t without) const
{
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const Point &point = m_points[i];
        if (point.type != type || i == without)
            continue;
        double distance = 0;
        for (std::size_t d = 0; d < at.size(); ++d)
            distance += (point.at[d] - at[d]) * (point.at[d] - at[d]);
        if (distance < kSame)
            return std::exp(point.residual);
        sum += point.residual / distance;
        weights += 1 / distance;
    }
    return weights > 0 ? std::exp(sum / weights) : 1;
}

double MeasuredGemms::factor(const Kernel &gemm) const
{
    return mean(typeOf(gemm.type), placeOf(gemm.m, gemm.n, gemm.k, gemm.batch), kNone);
}

double MeasuredGemms::factorWithout(std::size_t i) const { return mean(m_points[i].type, m_points[i].at, i); }

Kernel kernelOf(const MeasuredGemm &p)
{
    const DType type = p.type == GemmType::Fp8 ? DType::Fp8 : p.type == GemmType::Half ? DType::Bf16 : DType::Fp32;
    Kernel kernel{.kind = OpKind::Gemm,
        .type = type,
        .cost = CostClass::Gemm,
        .m = p.m,
        .n = p.n,
        .k = p.k,
        .batch = p.batch == 1 ? 0 : static_cast<std::int32_t>(p.batch)};
    addWork(kernel);
    return kernel;
}

MeasuredGemm measuredOf(const Kernel &gemm, Seconds seconds)
{
    return {.type = typeOf(gemm.type),
        .m = gemm.m,
        .n = gemm.n,
        .k = gemm.k,
        .batch = std::max(1, gemm.batch),
        .seconds = seconds};
}

} // namespace slipway
