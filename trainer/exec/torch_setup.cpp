// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/torch_setup.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "base/text.h"
#include "exec/cuda_devices.h"
#include "exec/model_tables.h"
#include "exec/plan_checks.h"

namespace slipway {
namespace {

at::Tensor tableOnDevice(std::vector<float> &values, const BatchShape &batch, at::Device device)
{
    const at::Tensor table = tensorAt(std::as_writable_bytes(std::span(values)).data(),
        {batch.seqLen, std::ssize(values) / batch.seqLen}, at::kFloat, at::kCPU);
    return table.to(at::TensorOptions(device), false, true);
}

int majorOf(at::Device device)
{
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    return devices ? (*devices)[static_cast<std::size_t>(device.index())].major : 0;
}

// Our kernels are compiled for compute capability 8 and newer; an older GPU uses LibTorch's ops.
const fused_ops::Table *kernelsOf(at::Device device)
{
    if (device.is_cpu())
        return &fused_ops::referenceKernels();
    return majorOf(device) >= 8 ? fused_ops::cudaKernels() : nullptr;
}

// The GEMM library is used together with our own kernels. If these are disabled or do not support the GPU, LibTorch's
// GEMMs are used.
std::shared_ptr<fused_ops::GemmLibrary> gemmLibraryOf(at::Device device, const DeviceOptions &options)
{
    return options.gemmLibrary || device.is_cpu() || !options.ownKernels
               ? options.gemmLibrary
               : std::shared_ptr<fused_ops::GemmLibrary>(fused_ops::cudaGemmLibrary(!options.deterministic));
}

// The group of context parallelism.
GroupId ringOf(const StepPlan &plan)
{
    const auto ring = std::ranges::find(plan.groups, std::string("cp"), &Group::axis);
    return ring == plan.groups.end() ? GroupId::None : static_cast<GroupId>(ring - plan.groups.begin());
}

Bytes workspaceBytes(const StepPlan &plan)
{
    const auto workspace = std::find_if(
        plan.buffers.begin(), plan.buffers.end(), [](const Buffer &buffer) { return buffer.name == "gemm_workspace"; });
    return workspace == plan.buffers.end() ? 0 : workspace->bytes;
}

// Undefined without context parallelism.
at::Tensor positionsOf(at::Device device, const BatchShape &batch, cpu_ops::SequenceShard shard)
{
    if (shard.ranks == 1)
        return {};
    std::vector<std::int64_t> positions;
    const std::int64_t length = batch.seqLen / shard.ranks;
    for (std::int64_t row = 0; row < length; ++row)
        positions.push_back(shard.position(row, length));
    return at::tensor(positions).to(device);
}

std::vector<TorchContext::Rotation> rotationsOf(
    at::Device device, const BatchShape &batch, const ModelSpec &model, const at::Tensor &positions)
{
    std::vector<TorchContext::Rotation> rotations;
    const auto rowsOf = [&](std::vector<float> &values) {
        const at::Tensor table = tableOnDevice(values, batch, device);
        return positions.defined() ? table.index_select(0, positions) : table;
    };
    for (cpu_ops::RopeTable &table : ropeTables(model, batch.seqLen))
        rotations.push_back({rowsOf(table.cosines), rowsOf(table.sines)});
    return rotations;
}

at::Tensor slopesOf(at::Device device, const ModelSpec &model, int ranks, int rank)
{
    const std::vector<float> slopes = alibiSlopes(model, ranks, rank);
    return slopes.empty() ? at::Tensor() : at::tensor(slopes).to(device);
}

// Whether every layer applies the same RoPE to whole heads directly before attention, and the attention kernel returns
// separate gradients of q, k and v. With context parallelism, gradients of keys come from other ranks.
bool fusesRopeBackward(const TorchContext &context, const StepPlan &plan, const ModelSpec &model)
{
    const bool turns = plan.mesh.context.size == 1 && model.position == Position::Rope && model.ropes.size() == 1 &&
                       model.rope().fraction == 1 && !model.attention.qkNormAfterRope &&
                       std::none_of(model.pattern.begin(), model.pattern.end(),
                           [](const LayerKind &kind) { return kind.rope == kNoRope; });
    bool flash = false, apart = true;
    for (const Kernel &kernel : plan.kernels) {
        if (kernel.kind != OpKind::FlashAttentionBackward)
            continue;
        flash = true;
        apart &= aten_ops::flashKernelFor(context.flash, torch_ops::attentionOptions(kernel, context)) !=
                 aten_ops::FlashKernel::Blocks;
    }
    return turns && flash && apart;
}

// Device memory in use, without what LibTorch's allocator has reserved. 0 on the CPU.
Bytes usedOutside(at::Device device)
{
    if (device.is_cpu())
        return 0;
    auto *const allocator = at::getDeviceAllocator(device.type());
    allocator->emptyCache();
    const auto [free, total] = allocator->getMemoryInfo(device.index());
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto held = allocator->getDeviceStats(device.index()).reserved_bytes[kAll].current;
    return std::max<Bytes>(0, static_cast<Bytes>(total - free) - held);
}

} // namespace

at::Device deviceOf(TorchDevice device, int place)
{
    return device == TorchDevice::Cuda ? at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(place))
                                       : at::Device(at::kCPU);
}

std::unique_ptr<DeviceStreams> streamsFor(at::Device device)
{
    if (!device.is_cpu())
        return std::make_unique<DeviceStreams>(device);
    return c10::impl::hasDeviceGuardImpl(at::kPrivateUse1)
               ? std::make_unique<DeviceStreams>(at::Device(at::kPrivateUse1, 0))
               : nullptr;
}

void makeDeterministic()
{
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
    at::globalContext().setDeterministicAlgorithms(true, false);
    at::globalContext().setDeterministicCuDNN(true);
    // Otherwise LibTorch would fill all memory that ops allocate, at the cost of a kernel each, although they write all
    // of it.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
}

AttentionChoice attentionOf(
    at::Device device, const StepPlan &plan, const ModelSpec &model, const DeviceOptions &options)
{
    const bool narrow = std::ranges::any_of(plan.kernels, [](const Kernel &k) { return k.type == DType::Bf16; });
    const aten_ops::FlashKernel usual =
        aten_ops::flashKernel(device, narrow ? at::kBFloat16 : at::kFloat, model.attention.headDim);
    // These conditions are the same on all ranks, whatever their GPUs are.
    if (!narrow || options.deterministic || !hasPlainFlash(plan, model))
        return {.kernel = usual};
    const bool faster = !device.is_cpu() && majorOf(device) >= 9;
    return agreed(
        chooseAttention(usual, faster, attentionShape(plan, model),
            [device](const aten_ops::AttentionShape &shape) { return aten_ops::cudnnRefuses(device, shape); }),
        options.onAnyRank);
}

TorchContext contextOf(at::Device device, const StepPlan &plan, const ModelSpec &model, aten_ops::FlashKernel attention,
    const DeviceOptions &options)
{
    const BatchShape batch = batchShape(plan);
    options.reportProgress("loading the libraries for GEMMs");
    const at::Tensor positions = positionsOf(device, batch, {plan.mesh.context.size, options.contextRank});
    TorchContext context{.device = device,
        .vocab = model.vocab,
        .rotations = rotationsOf(device, batch, model, positions),
        .positions = positions,
        .slopes = slopesOf(device, model, plan.mesh.tensor.size, options.tensorRank),
        .flash = attention,
        .kernels = options.ownKernels ? kernelsOf(device) : nullptr,
        .gemmLibrary = gemmLibraryOf(device, options)};
    context.workspaceBytes = workspaceBytes(plan);
    context.ring = ringOf(plan);
    if (!context.gemmLibrary)
        static_cast<void>(torch_ops::fp32GradientGemm(context));
    context.fusesRopeBackward = context.kernels && fusesRopeBackward(context, plan, model);
    return context;
}

std::string outOfMemory(Bytes arena, const std::string &words, at::Device device)
{
    std::string inUse;
    if (!device.is_cpu()) {
        const auto [free, total] = at::getDeviceAllocator(device.type())->getMemoryInfo(device.index());
        inUse = ", " + formatBytes(static_cast<Bytes>(total - free)) + " of the GPU's " +
                formatBytes(static_cast<Bytes>(total)) + " are in use";
    }
    return std::string(kOutOfMemory) + "the step needs " + formatBytes(arena) + " and some for its ops" + inUse + ": " +
           words.substr(0, words.find('\n'));
}

OutsideMemory runFirstUse(at::Device device, DeviceStreams *streams, const DeviceOptions &options)
{
    const FirstUse &first = options.firstUse;
    if (first.room == 0)
        return {.all = usedOutside(device)};
    options.reportProgress("connecting the devices");
    const Bytes before = usedOutside(device);
    if (streams)
        streams->enter(DeviceStream::Communication);
    {
        const at::Tensor room = at::zeros({first.room}, at::TensorOptions(at::kByte).device(device));
        first.start(static_cast<std::byte *>(room.data_ptr()), streams ? streams->native() : nullptr);
        options.reportDeviceWait();
        if (streams)
            streams->stream().synchronize();
        first.check();
    }
    if (streams)
        streams->enter(DeviceStream::Compute);
    const Bytes after = usedOutside(device);
    return {.all = after, .collectives = std::max<Bytes>(0, after - before)};
}

} // namespace slipway
