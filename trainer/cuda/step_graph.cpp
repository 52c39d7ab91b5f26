// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's CUDA graph. Its allocator uses a separate pool for allocations during the capture, so that addresses
// remain valid.
#include "exec/step_graph.h"

#include <optional>
#include <vector>

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "cuda/check_cuda.h"
#include "cuda/cuda_event.h"

namespace slipway {
namespace {

class CudaStepGraph final : public StepGraph {
public:
    ~CudaStepGraph() override { clear(); }

    // Other threads may allocate memory during the capture: only the calls of this thread are captured.
    void begin() override
    {
        clear();
        m_graph.emplace();
        m_pool = at::cuda::graph_pool_handle();
        m_graph->capture_begin(m_pool, cudaStreamCaptureModeThreadLocal);
    }

    void end() override { m_graph->capture_end(); }

    void abandon() noexcept override
    {
        try {
            m_graph->capture_end();
        } catch (const std::exception &) { // expected if an op has failed; the stream has left the capture
            leavePool();
        }
        cudaGetLastError();
        clear();
    }

    void replay() override { m_graph->replay(); }

    // External: the graph records the event, which would otherwise only order its nodes.
    int mark() override
    {
        m_marks.emplace_back().record(c10::cuda::getCurrentCUDAStream().stream(), cudaEventRecordExternal);
        return static_cast<int>(m_marks.size()) - 1;
    }

    Seconds secondsBetween(int from, int to) override
    {
        checkCuda(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream().stream()), "cudaStreamSynchronize");
        return m_marks[static_cast<std::size_t>(to)].secondsSince(m_marks[static_cast<std::size_t>(from)]);
    }

private:
    // A failed capture leaves its pool open, in which case the allocator would wait for its end before it frees memory.
    void leavePool() const noexcept
    {
        try {
            c10::cuda::CUDACachingAllocator::endAllocateToPool(c10::cuda::current_device(), m_pool);
        } catch (const std::exception &) { // it was already closed
        }
    }

    void clear() noexcept
    {
        m_graph.reset();
        m_marks.clear();
    }

    std::optional<at::cuda::CUDAGraph> m_graph;
    c10::MempoolId_t m_pool{0, 0};
    std::vector<CudaEvent> m_marks;
};

} // namespace

std::unique_ptr<StepGraph> makeStepGraph() { return std::make_unique<CudaStepGraph>(); }

} // namespace slipway
