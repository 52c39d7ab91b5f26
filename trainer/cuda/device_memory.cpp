// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cuda_runtime_api.h>

#include "cuda/check_cuda.h"
#include "exec/gpu_copies.h"

namespace slipway {
namespace {

// Memory of the thread's current GPU. Copies run after all work that was enqueued on the stream.
class CudaMemory final : public DeviceMemory {
public:
    CudaMemory() { checkCuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~CudaMemory() override { cudaStreamDestroy(m_stream); }
    CudaMemory(const CudaMemory &) = delete;
    CudaMemory &operator=(const CudaMemory &) = delete;

    std::shared_ptr<float> make(std::size_t elements) override
    {
        void *data = nullptr;
        checkCuda(cudaMalloc(&data, elements * sizeof(float)), "cudaMalloc");
        return {static_cast<float *>(data), [](float *old) { cudaFree(old); }};
    }
    void write(float *to, std::span<const float> from) override
    {
        copy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice);
    }
    void read(const float *from, std::span<float> to) override
    {
        copy(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost);
    }
    [[nodiscard]] void *stream() const override { return m_stream; }
    void finish() override { checkCuda(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize"); }

private:
    void copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
    {
        checkCuda(cudaMemcpyAsync(to, from, bytes, kind, m_stream), "cudaMemcpyAsync");
        finish();
    }
    cudaStream_t m_stream = nullptr;
};

} // namespace

std::unique_ptr<DeviceMemory> makeDeviceMemory() { return std::make_unique<CudaMemory>(); }

} // namespace slipway
