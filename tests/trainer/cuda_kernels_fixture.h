// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The GPU's kernels give what their reference does: on a GPU, and thread by thread on the processor. There a program of
// its own has them under the address sanitizer.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <tuple>

#include "emulated_kernels.h"
#include "exec/cuda_devices.h"
#include "fused_ops/fused_ops.h"

namespace slipway::testing {

// Buffers on the processor and, copied, on a GPU or what stands for it.
struct Pair {
    at::Tensor host, device;
    Pair(at::Tensor values, at::Device to) : host(std::move(values)), device(to.is_cpu() ? host.clone() : host.to(to))
    {
    }
    template<typename T = void>
    [[nodiscard]] T *at(bool gpu) const
    {
        return static_cast<T *>((gpu ? device : host).data_ptr());
    }
    // |device - host| / |host|
    [[nodiscard]] double distance() const
    {
        const at::Tensor a = device.cpu().to(at::kDouble), b = host.to(at::kDouble);
        return ((a - b).norm() / (b.norm() + 1e-30)).item<double>();
    }
};

// Emulated: the same source, thread by thread on the processor.
enum class Where { Gpu, Emulated };

class CudaKernels : public ::testing::TestWithParam<std::tuple<Where, fused_ops::Float>> {
protected:
    void SetUp() override
    {
        const bool gpu = std::get<0>(GetParam()) == Where::Gpu;
        m_table = gpu ? fused_ops::cudaKernels() : fused_ops::emulatedKernels();
        if (!m_table || (gpu && !cudaDevices()))
            GTEST_SKIP() << (gpu ? "no GPU, or built without CUDA" : "built without nvcc's headers");
        m_device = gpu ? at::kCUDA : at::kCPU;
        m_scratch = at::zeros({m_table->scratchBytes(16400)}, at::TensorOptions(at::kByte).device(m_device));
        at::manual_seed(1);
    }
    [[nodiscard]] static fused_ops::Float kind() { return std::get<1>(GetParam()); }
    [[nodiscard]] static at::ScalarType type() { return kind() == fused_ops::Float::Fp32 ? at::kFloat : at::kBFloat16; }
    [[nodiscard]] Pair pair(at::Tensor values) const { return {std::move(values), m_device}; }
    [[nodiscard]] Pair random(std::int64_t rows, std::int64_t width) const
    {
        return pair(at::randn({rows, width}).to(type()));
    }
    [[nodiscard]] Pair fp32(std::int64_t elements) const { return pair(at::randn({elements})); }
    // A GPU's sizes are too much for the processor, one thread after the other.
    [[nodiscard]] std::int64_t scaled(std::int64_t many) const { return m_device.is_cpu() ? many / 20 : many; }
    // Runs a kernel on both.
    template<typename Run>
    void both(const Run &run)
    {
        run(fused_ops::referenceKernels(), false, fused_ops::Queue{});
        run(*m_table, true, fused_ops::Queue{.scratch = m_scratch.data_ptr()});
    }
    static void expectEqual(std::initializer_list<const Pair *> pairs)
    {
        int number = 0;
        for (const Pair *pair : pairs)
            EXPECT_LT(pair->distance(), kind() == fused_ops::Float::Fp32 ? 1e-5 : 1e-2) << number++;
    }
    const fused_ops::Table *m_table = nullptr;
    at::Device m_device = at::kCPU;
    at::Tensor m_scratch;
};

} // namespace slipway::testing
