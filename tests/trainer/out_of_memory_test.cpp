// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/out_of_memory.h"

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

TEST(OutOfMemoryWords, AreKnownFromEveryLibraryThatTakesMemoryForItself)
{
    for (const char *const message : {"DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes",
             "CUDA error: out of memory", "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
             "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
             "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
             "unhandled cuda error (Cuda failure 2 'out of memory')",
             "unhandled cuda error (Failed to CUDA calloc 4194304 bytes)",
             "unhandled cuda error (Failed to CUDA host alloc 65536 bytes)",
             "unhandled system error (Failed to malloc 4096 bytes)"})
        EXPECT_TRUE(isOutOfMemoryMessage(message)) << message;
}

TEST(OutOfMemoryWords, AreNotSeenInOtherFailures)
{
    for (const char *const message : {"remote process exited or there was a network error",
             "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED", "Failed to CUDA stream create", ""})
        EXPECT_FALSE(isOutOfMemoryMessage(message)) << message;
}

} // namespace
} // namespace slipway::testing
