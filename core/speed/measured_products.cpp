// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/measured_products.h"

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

ProductType typeOf(DType type)
{
    return type == DType::Fp8 ? ProductType::Fp8 : type == DType::Bf16 ? ProductType::Half : ProductType::Fp32;
}

} // namespace

MeasuredProducts::MeasuredProducts(const std::vector<MeasuredProduct> &products, const std::vector<Seconds> &modelled)
{
    for (std::size_t i = 0; i < products.size(); ++i) {
        const MeasuredProduct &p = products[i];
        m_points.push_back(
            {.type = p.type, .at = placeOf(p.m, p.n, p.k, p.batch), .residual = std::log(p.seconds / modelled[i])});
    }
}

double MeasuredProducts::mean(ProductType type, const std::array<double, 3> &at, std::size_t without) const
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

double MeasuredProducts::factor(const Kernel &product) const
{
    return mean(typeOf(product.type), placeOf(product.m, product.n, product.k, product.batch), kNone);
}

double MeasuredProducts::factorWithout(std::size_t i) const { return mean(m_points[i].type, m_points[i].at, i); }

Kernel kernelOf(const MeasuredProduct &p)
{
    const DType type = p.type == ProductType::Fp8    ? DType::Fp8
                       : p.type == ProductType::Half ? DType::Bf16
                                                     : DType::Fp32;
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

MeasuredProduct measuredOf(const Kernel &product, Seconds seconds)
{
    return {.type = typeOf(product.type),
        .m = product.m,
        .n = product.n,
        .k = product.k,
        .batch = std::max(1, product.batch),
        .seconds = seconds};
}

} // namespace slipway
