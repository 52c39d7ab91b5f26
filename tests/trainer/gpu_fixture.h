// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tests of what only a GPU can show. Without one they are skipped.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "exec/cuda_devices.h"
#include "oracle.h"

namespace slipway::testing {

template<typename Base>
class OnGpu : public Base {
protected:
    void SetUp() override
    {
        if (const auto devices = cudaDevices(); !devices)
            GTEST_SKIP() << devices.error().message();
    }
};

class Gpu : public OnGpu<::testing::Test> {};

// With a head dimension that fused attention takes.
inline ModelSpec gpuModel()
{
    return {.name = "gpu",
        .layers = 3,
        .hidden = 128,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 32},
        .mlp = {.width = 208},
        .vocab = 320};
}

inline ModelSpec expertModel()
{
    ModelSpec model = gpuModel();
    model.experts = {.count = 8, .perToken = 2, .sharedWidth = 96, .sharedGate = true, .auxLoss = 0.1, .zLoss = 0.01};
    return model;
}

inline std::unique_ptr<Executor> gpuExecutor(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, ExecutorOptions options = {})
{
    options.backend = BackendKind::Cuda;
    options.seed = 1;
    Result<std::unique_ptr<Executor>> executor = Executor::create(plan, model, communicator, options);
    if (!executor)
        throw std::runtime_error(executor.error().message());
    (*executor)->downloadWeights(); // the host's copies are given back once they are uploaded
    return std::move(*executor);
}

} // namespace slipway::testing
