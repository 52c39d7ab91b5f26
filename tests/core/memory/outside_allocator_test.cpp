// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/outside_allocator.h"

#include <gtest/gtest.h>

#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

Bytes outside(const char *gpu, Framework framework)
{
    RunConfig config;
    config.framework = framework;
    return outsideAllocatorMemory(catalogue().gpu(gpu).value(), config, catalogue().rates).bytes;
}

// 698.8 MiB with cuDNN's attention, docs/measurements/h200.csv.
TEST(OutsideAllocatorMemory, OfTheOwnTrainerIsWhatAnH200Showed)
{
    EXPECT_NEAR(static_cast<double>(outside("h200-sxm-141gb", Framework::Slipway)), 698.8 * kMiB, 2.0 * kMiB);
}

TEST(OutsideAllocatorMemory, HoldsTheContextAndBeforeHopperNoPlansOfCudnn)
{
    EXPECT_EQ(outside("a100-sxm-80gb", Framework::Slipway), (481 + 36) * kMiB);
    EXPECT_EQ(outside("a100-sxm-80gb", Framework::PytorchEager), 481 * kMiB);
}

} // namespace
} // namespace slipway
