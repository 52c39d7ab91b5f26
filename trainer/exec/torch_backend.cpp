// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/torch_backend.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/text.h"
#include "exec/device_clock.h"
#include "exec/fused_op_table.h"
#include "exec/phase_clock.h"
#include "exec/plan_checks.h"
#include "exec/torch_op_table.h"

namespace slipway {
namespace {

at::Device deviceOf(TorchDevice device, int place) { return device == TorchDevice::Cuda ? at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(place)) : at::Device(at::kCPU); }

at::Tensor tableOnDevice(std::vector<float> &values, const BatchShape &batch, at::Device device)
{
    const at::Tensor table = tensorAt(std::as_writable_bytes(std::span(values)).data(), {batch.seqLen, std::ssize(values) / batch.seqLen}, at::kFloat, at::kCPU);
    return table.to(at::TensorOptions(device), false, true);
}

TorchContext contextOf(at::Device device, const StepPlan &plan, const ModelSpec &model, bool ownKernels)
{
    const BatchShape batch = batchShape(plan);
    ops::RopeTable table(batch.seqLen, model.headDim, model.ropeTheta);
    const bool narrow = std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const Kernel &k) { return k.type == DType::Bf16; });
    return {.device = device, .vocab = model.vocab, .cosines = tableOnDevice(table.cosines, batch, device), .sines = tableOnDevice(table.sines, batch, device),
            .flash = tensors::flashKernel(device, narrow ? at::kBFloat16 : at::kFloat, model.headDim), .wide = tensors::findWideProduct(device),
            .kernels = !ownKernels ? nullptr : device.is_cpu() ? &kernels::referenceKernels() : kernels::cudaKernels()};
}

class TorchBackend final : public Backend {
public:
    TorchBackend(at::Tensor arena, TorchContext context) : m_arena(std::move(arena)), m_context(std::move(context))
    {
        if (!m_context.device.is_cpu())
            m_deviceClock.emplace(m_context.device);
    }

    std::span<std::byte> arena() const override { return {static_cast<std::byte *>(m_arena.data_ptr()), static_cast<std::size_t>(m_arena.numel())}; }
    bool onHost() const override { return false; } // nor on the CPU: there the ways of a GPU are rehearsed

    void beginStep() override
    {
        m_hostClock.start();
        if (m_deviceClock) {
            m_deviceClock->start();
            at::getDeviceAllocator(m_context.device.type())->resetPeakStats(m_context.device.index());
        }
    }

    // Page-locked, so that the copy of a micro-batch's ids does not make the host wait for the device.
    StepInput stage(StepInput input) override
    {
        if (m_context.device.is_cpu())
            return input;
        const std::int64_t count = std::ssize(input.tokens);
        if (!m_staged.defined() || m_staged.size(1) != count)
            m_staged = at::empty({2, count}, at::TensorOptions(at::kInt).pinned_memory(true));
        const auto to = [&](std::int64_t row, std::span<const std::int32_t> ids) {
            std::int32_t *const start = m_staged.data_ptr<std::int32_t>() + row * count;
            std::copy(ids.begin(), ids.end(), start);
            return std::span<const std::int32_t>(start, ids.size());
        };
        return {to(0, input.tokens), to(1, input.targets)};
    }

    void run(const OpCall &call, const StepContext &context) override
    {
        const c10::InferenceMode noGradients;
        const TorchOpFunction fused = m_context.kernels ? fusedOpFunction(call.kernel.kind) : nullptr;
        (fused ? fused : torchOpFunction(call.kernel.kind))(call, context, m_context);
    }

    void enter(Part part) override { m_deviceClock ? m_deviceClock->enter(part) : m_hostClock.enter(part); }
    PhaseSeconds endStep() override { return m_deviceClock ? m_deviceClock->stop() : m_hostClock.stop(); }

    ExtraMemory extraMemory() const override
    {
        if (m_context.device.is_cpu())
            return {};
        const auto stats = at::getDeviceAllocator(m_context.device.type())->getDeviceStats(m_context.device.index());
        constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        const std::int64_t own = m_arena.numel();
        return {.allocatedPeak = std::max<Bytes>(0, stats.allocated_bytes[kAll].peak - own), .reserved = std::max<Bytes>(0, stats.reserved_bytes[kAll].peak - own)};
    }

    void read(const std::byte *from, std::span<std::byte> to) override
    {
        tensorAt(to.data(), {std::ssize(to)}, at::kByte, at::kCPU).copy_(tensorAt(from, {std::ssize(to)}, at::kByte, m_context.device));
    }

    void write(std::span<const std::byte> from, std::byte *to) override
    {
        tensorAt(to, {std::ssize(from)}, at::kByte, m_context.device).copy_(tensorAt(from.data(), {std::ssize(from)}, at::kByte, at::kCPU));
    }

    void narrow(const std::byte *fp32, std::byte *bf16, std::int64_t elements) override
    {
        tensorAt(bf16, {elements}, at::kBFloat16, m_context.device).copy_(tensorAt(fp32, {elements}, at::kFloat, m_context.device));
    }

private:
    at::Tensor m_arena;
    TorchContext m_context;
    at::Tensor m_staged; // [2, tokens]: ids, targets
    PhaseClock m_hostClock;
    std::optional<DeviceClock> m_deviceClock;
};

Error outOfMemory(Bytes wanted, const std::string &why)
{
    return {.what = "the step needs " + formatBytes(wanted) + " of the GPU's memory: " + why,
            .accepted = "a smaller --micro-batch or --seq-len, --recompute full, or a smaller model", .fault = Fault::Outside};
}

} // namespace

Result<std::unique_ptr<Backend>> makeTorchBackend(TorchDevice kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceChoice choice)
{
    const at::Device device = deviceOf(kind, choice.place);
    try {
        if (!device.is_cpu())
            c10::impl::VirtualGuardImpl(device.type()).setDevice(device); // for this rank's thread, and kernels without a tensor
        const c10::InferenceMode noGradients;
        // The context first: on a GPU its tables and the probe of the products bring up cuBLAS before the arena is cut out.
        TorchContext context = contextOf(device, plan, model, choice.ownKernels);
        at::Tensor arena = at::zeros({arenaBytes}, at::TensorOptions(at::kByte).device(device));
        return std::unique_ptr<Backend>(std::make_unique<TorchBackend>(std::move(arena), std::move(context)));
    } catch (const c10::OutOfMemoryError &error) {
        return outOfMemory(arenaBytes, error.what_without_backtrace());
    } catch (const c10::Error &error) {
        return Error{.what = "LibTorch: " + std::string(error.what_without_backtrace()), .where = "--device", .fault = Fault::Outside};
    }
}

} // namespace slipway
