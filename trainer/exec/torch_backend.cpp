// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/torch_backend.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "exec/allocation_counter.h"
#include "exec/device_clock.h"
#include "exec/device_streams.h"
#include "exec/document_tables.h"
#include "exec/fused_op_table.h"
#include "exec/host_offsets.h"
#include "exec/phase_clock.h"
#include "exec/plan_checks.h"
#include "exec/stream_emulator.h"
#include "exec/pending_sends.h"
#include "exec/staging.h"
#include "exec/step_graph.h"
#include "exec/torch_op_table.h"
#include "exec/torch_setup.h"
#include "plan/cuda_graph.h"

namespace slipway {
namespace {

// The widest row that RMSNorm normalizes.
std::int64_t widestRow(const StepPlan &plan)
{
    std::int64_t widest = 0;
    for (const Kernel &kernel : plan.kernels)
        widest = kernel.kind == OpKind::RmsNormBackward ? std::max(widest, kernel.n) : widest;
    return widest;
}

constexpr int kStepsBeforeGraph = 2; // steps whose allocations, handles and choices of algorithms must not be captured

// The CUDA graph of a step, and its state.
struct Graph {
    std::shared_ptr<StepGraph> graph;
    enum class State { Off, Waiting, Keeping, Lost, Ready } state = State::Off;
    std::string why = "off"; // why the state is not Ready
    int steps = 0;
    std::vector<std::pair<Part, int>> marks;

    void giveUp(const std::string &reason)
    {
        why = "off: " + reason.substr(0, reason.find('\n'));
        graph->abandon();
        marks.clear();
    }
};

// What was found out about the device before the arena was allocated.
struct Findings {
    OutsideMemory outside;
    std::vector<std::string> warnings;
    std::shared_ptr<AllocationCounter> counter; // counts from the first allocation
};

class TorchBackend final : public Backend {
public:
    TorchBackend(std::unique_ptr<DeviceStreams> streams, at::Tensor arena, TorchContext context, Findings findings,
        const StepPlan &plan, const DeviceOptions &options)
        : m_streams(std::move(streams)),
          m_arena(std::move(arena)),
          m_context(std::move(context)),
          m_findings(std::move(findings)),
          m_counter(m_findings.counter),
          m_shared(options.shared),
          m_waitsForDevice(options.reportDeviceWait),
          m_separatesDocuments(hasDocumentTables(plan)),
          m_batch(batchShape(plan))
    {
        m_context.messages = std::make_shared<PendingSends>(m_streams.get());
        m_context.offsets = std::make_shared<HostOffsets>(m_context.device, options.reportDeviceWait);
        if (m_streams)
            m_deviceClock.emplace(m_streams->device());
        if (options.emulatedStreams && !m_streams)
            m_emulator = std::make_shared<StreamEmulator>(*options.emulatedStreams);
        m_context.rates = at::zeros({3}, at::TensorOptions(at::kFloat).device(m_context.device));
        m_context.zLossSum = at::zeros({}, at::TensorOptions(at::kFloat).device(m_context.device));
        if (m_context.kernels) {
            m_context.scratch = at::zeros({m_context.kernels->scratchBytes(widestRow(plan))},
                at::TensorOptions(at::kByte).device(m_context.device));
            m_context.queue.scratch = m_context.scratch.data_ptr();
        }
        m_newRates = at::zeros({3}, at::TensorOptions(at::kFloat).pinned_memory(m_streams != nullptr));
        prepareGraph(plan, options);
    }

    std::span<std::byte> arena() const override
    {
        return {static_cast<std::byte *>(m_arena.data_ptr()), static_cast<std::size_t>(m_arena.numel())};
    }
    bool onHost() const override { return false; } // not even on the CPU, where it emulates a GPU

    // Page-locked memory, so that the copy of a micro-batch's ids does not make the host wait for the device.
    StagedInput stage(StepInput input, const OptimizerStep &optimizer) override
    {
        const c10::InferenceMode noGradients;
        m_newRates.data_ptr<float>()[0] = static_cast<float>(optimizer.learningRate);
        m_newRates.data_ptr<float>()[1] =
            static_cast<float>(1.0 - std::pow(optimizer.beta1, static_cast<double>(optimizer.step)));
        m_newRates.data_ptr<float>()[2] =
            static_cast<float>(1.0 - std::pow(optimizer.beta2, static_cast<double>(optimizer.step)));
        m_context.rates.copy_(m_newRates, true);
        const std::int64_t count = std::ssize(input.tokens);
        if (!m_staged.defined() || m_staged.size(1) != count)
            m_staged = at::empty({2, count}, at::TensorOptions(at::kInt).pinned_memory(m_streams != nullptr));
        const auto to = [&](std::int64_t row, std::span<const std::int32_t> ids) {
            std::int32_t *const start = m_staged.data_ptr<std::int32_t>() + row * count;
            std::copy(ids.begin(), ids.end(), start);
            return std::span<const std::int32_t>(start, ids.size());
        };
        return {{to(0, input.tokens), to(1, input.targets), input.documentStarts}, stageDocuments(input)};
    }

    void beginStep() override
    {
        m_hostClock.start();
        if (m_deviceClock)
            m_deviceClock->start();
    }

    bool hasGraph() const override { return m_graph.state == Graph::State::Ready; }

    bool replays(bool whole) override
    {
        // A graph would fix the number of documents, which differs between steps.
        if (m_graph.state == Graph::State::Off || !whole || m_separatesDocuments)
            return false;
        if (m_graph.state == Graph::State::Ready) {
            m_graph.graph->replay();
            return m_replayed = true;
        }
        if (m_graph.steps++ < kStepsBeforeGraph)
            return false;
        attempt([&] { m_graph.graph->begin(); });
        m_graph.state = m_graph.state == Graph::State::Lost ? Graph::State::Off : Graph::State::Keeping;
        return false;
    }

    void run(const OpCall &call, const StepContext &context) override
    {
        if (m_graph.state == Graph::State::Lost)
            return;
        if (m_emulator && m_emulator->stores())
            m_emulator->store([this, call, context] { runNow(call, context); });
        else if (m_graph.state == Graph::State::Keeping)
            attempt([&] { runNow(call, context); });
        else
            runNow(call, context);
    }

    // GEMMs are timed when their shape first occurs. This is done on random numbers, because a GPU is faster on zeros.
    // A GEMM that accumulates into its own result cannot be repeated, so it uses the algorithm that was chosen for the
    // same GEMM without accumulation.
    void prepare(const OpCall &call, const StepContext &context) override
    {
        if (call.kernel.kind == OpKind::Gemm) {
            fillOperands(call);
            OpCall once = call;
            once.accumulate = false;
            run(once, context);
        }
        if (call.kernel.kind != OpKind::Gemm || call.accumulate)
            run(call, context);
    }

    void clear() override
    {
        const c10::InferenceMode noGradients;
        m_arena.zero_();
    }

    bool endWalk() override
    {
        if (m_graph.state == Graph::State::Keeping) {
            attempt([&] {
                m_graph.marks.emplace_back(nullptr, m_graph.graph->mark());
                m_graph.graph->end();
                m_graph.graph->replay();
            });
            if (m_graph.state == Graph::State::Keeping) {
                m_graph.state = Graph::State::Ready;
                m_graph.why.clear();
                m_replayed = true;
            }
        }
        if (m_graph.state != Graph::State::Lost)
            return true;
        m_graph.state = Graph::State::Off;
        return false;
    }

    StepStreams *streams() override
    {
        return m_streams ? static_cast<StepStreams *>(m_streams.get()) : m_emulator.get();
    }

    void enter(Part part) override
    {
        if (m_graph.state == Graph::State::Keeping)
            attempt([&] { m_graph.marks.emplace_back(part, m_graph.graph->mark()); });
        else if (m_graph.state != Graph::State::Lost)
            m_deviceClock ? m_deviceClock->enter(part) : m_hostClock.enter(part);
    }

    // Copies to page-locked memory, so that a single wait for the device covers the end of the step and both values.
    void fetch(const std::array<const std::byte *, kFetched> &from) override
    {
        if (!m_streams)
            return Backend::fetch(from);
        const c10::InferenceMode noGradients;
        if (!m_values.defined())
            m_values = at::empty({kFetched}, at::TensorOptions(at::kFloat).pinned_memory(true));
        for (std::size_t i = 0; i < kFetched; ++i)
            m_values.narrow(0, static_cast<std::int64_t>(i), 1)
                .copy_(tensorAt(from[i], {1}, at::kFloat, m_context.device), true);
    }

    std::array<float, kFetched> fetched() override
    {
        if (!m_streams)
            return Backend::fetched();
        m_streams->stream().synchronize(); // the events of a graph are recorded before these copies
        std::array<float, kFetched> values{};
        std::copy_n(m_values.const_data_ptr<float>(), kFetched, values.begin());
        return values;
    }

    PhaseSeconds endStep() override
    {
        if (m_emulator)
            m_emulator->finish();
        if (!std::exchange(m_replayed, false))
            return m_deviceClock ? m_deviceClock->stop(m_waitsForDevice) : m_hostClock.stop();
        m_waitsForDevice();
        PhaseSeconds seconds;
        for (std::size_t i = 0; i + 1 < m_graph.marks.size(); ++i)
            seconds.*m_graph.marks[i].first +=
                m_graph.graph->secondsBetween(m_graph.marks[i].second, m_graph.marks[i + 1].second);
        return seconds;
    }

    // Reads counters on the host, so that the call does not wait for the device.
    BackendMemory backendMemory() override
    {
        if (m_context.device.is_cpu())
            return {};
        const std::int64_t own = m_arena.numel();
        const Bytes allocated = std::max<Bytes>(0, m_counter->takePeak() - own);
        m_mostAllocated = std::max(m_mostAllocated, allocated);
        // All ranks share the allocator, so this is a lower bound of this rank's part of its reserved memory.
        if (m_shared)
            return {.allocatedPeak = allocated, .reserved = m_mostAllocated};
        auto *const allocator = at::getDeviceAllocator(m_context.device.type());
        const auto stats = allocator->getDeviceStats(m_context.device.index());
        allocator->resetPeakStats(m_context.device.index());
        constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        return {.allocatedPeak = allocated, .reserved = std::max<Bytes>(0, stats.reserved_bytes[kAll].peak - own)};
    }

    std::optional<OutsideMemory> outsideMemory() const override
    {
        return m_context.device.is_cpu() ? std::nullopt : std::optional(m_findings.outside);
    }

    std::string gemmAlgorithms() const override
    {
        return m_context.gemmLibrary ? m_context.gemmLibrary->algorithms() : std::string();
    }
    std::vector<std::string> warnings() const override { return m_findings.warnings; }

    std::string description() const override
    {
        return std::string(enumName(m_context.flash)) + " attention, " +
               (m_context.gemmLibrary ? m_context.gemmLibrary->description()
                                      : std::string(enumName(torch_ops::fp32GradientGemm(m_context)))) +
               " GEMMs, " + (m_context.kernels ? "own" : "LibTorch's") + " kernels, graph " +
               (m_graph.state == Graph::State::Ready ? "on" : m_graph.why);
    }

    void read(const std::byte *from, std::span<std::byte> to) override
    {
        if (m_emulator)
            m_emulator->finish();
        tensorAt(to.data(), {std::ssize(to)}, at::kByte, at::kCPU)
            .copy_(tensorAt(from, {std::ssize(to)}, at::kByte, m_context.device));
    }

    void write(std::span<const std::byte> from, std::byte *to) override
    {
        tensorAt(to, {std::ssize(from)}, at::kByte, m_context.device)
            .copy_(tensorAt(from.data(), {std::ssize(from)}, at::kByte, at::kCPU));
    }

    void beginCopies() override
    {
        if (m_emulator)
            m_emulator->finish();
        if (!m_staging)
            m_staging.emplace(m_context.device, m_streams ? m_streams->device() : m_context.device);
        m_staging->mark();
    }

    void finishCopies(std::span<const std::span<const std::byte>> sources, const CopySink &sink) override
    {
        m_staging->copy(sources, sink);
    }

    void castToBf16(const std::byte *fp32, std::byte *bf16, std::int64_t elements) override
    {
        tensorAt(bf16, {elements}, at::kBFloat16, m_context.device)
            .copy_(tensorAt(fp32, {elements}, at::kFloat, m_context.device));
    }

private:
    void prepareGraph(const StepPlan &plan, const DeviceOptions &options)
    {
        if (options.graphs == StepGraphs::Off || !canBeGraph(plan) || !m_context.kernels ||
            (options.graphs == StepGraphs::Auto && !plan.cudaGraph))
            return;
        m_graph.graph = m_emulator;
        if (m_streams)
            m_graph.graph = makeStepGraph();
        if (m_graph.graph)
            m_graph.state = Graph::State::Waiting;
    }

    // A failure while a graph is captured is reported, and the step continues without a graph.
    template<typename Work>
    void attempt(const Work &work)
    {
        try {
            work();
        } catch (const c10::Error &error) {
            m_graph.giveUp(error.what_without_backtrace());
            m_graph.state = Graph::State::Lost;
        } catch (const std::exception &error) {
            m_graph.giveUp(error.what());
            m_graph.state = Graph::State::Lost;
        }
    }

    // Operands in fp8 were written by the preceding ops.
    void fillOperands(const OpCall &call)
    {
        const c10::InferenceMode noGradients;
        const Kernel &k = call.kernel;
        if (k.type == DType::Fp8)
            return;
        const auto fill = [&](std::byte *operand, std::int64_t elements) {
            tensorAt(operand, {elements * std::max(1, k.batch)}, k.type == DType::Bf16 ? at::kBFloat16 : at::kFloat,
                m_context.device)
                .normal_();
        };
        fill(call.reads[0], k.m * k.k);
        fill(call.reads[1], k.k * k.n);
    }

    void runNow(const OpCall &call, const StepContext &context)
    {
        const c10::InferenceMode noGradients;
        const AllocationCounter::Counting counting(m_counter);
        m_context.queue.stream = m_streams ? m_streams->native() : nullptr;
        const TorchOpFunction fused = m_context.kernels ? fusedOpFunction(call.kernel, context) : nullptr;
        const TorchOpFunction function = fused ? fused : torchOpFunction(call.kernel.kind);
        const auto lacking = [this](const std::string &words) {
            return OutOfMemory(outOfMemory(m_arena.numel(), words, m_context.device));
        };
        try {
            function(call, context, m_context);
        } catch (const c10::OutOfMemoryError &error) {
            throw lacking(error.what_without_backtrace());
        } catch (const c10::Error &error) { // from a library that LibTorch calls
            if (m_context.device.is_cpu() || !isOutOfMemoryMessage(error.what_without_backtrace()))
                throw;
            throw lacking(error.what_without_backtrace());
        } catch (const PeerFailed &) { // another rank's lack of memory is not one of this rank
            throw;
        } catch (const std::runtime_error &error) { // from a library that is called directly
            if (!isOutOfMemoryMessage(error.what()))
                throw;
            throw lacking(error.what());
        }
    }

    // Also page-locked; LoadBatch copies the tables of a micro-batch.
    std::vector<DocumentTable> stageDocuments(const StepInput &input)
    {
        if (!m_separatesDocuments)
            return {};
        const std::int64_t count = std::ssize(input.tokens), microBatches = count / m_batch.tokens();
        if (!m_places.defined())
            m_places =
                at::empty({2 * count + microBatches}, at::TensorOptions(at::kInt).pinned_memory(m_streams != nullptr));
        const std::span places(m_places.data_ptr<std::int32_t>(), static_cast<std::size_t>(m_places.numel()));
        const auto tokens = static_cast<std::size_t>(count);
        return documentTables(
            input.documentStarts, m_batch.tokens(), m_batch.seqLen, places.first(tokens), places.subspan(tokens));
    }

    std::unique_ptr<DeviceStreams> m_streams;   // of a GPU
    std::shared_ptr<StreamEmulator> m_emulator; // emulates them on the CPU
    at::Tensor m_arena;
    TorchContext m_context;
    Findings m_findings;
    std::shared_ptr<AllocationCounter> m_counter;
    bool m_shared;
    Bytes m_mostAllocated = 0;
    at::Tensor m_newRates, m_values;
    std::optional<Staging> m_staging; // created for the first checkpoint
    at::Tensor m_staged;              // [2, tokens]: ids, targets
    PhaseClock m_hostClock;
    std::optional<DeviceClock> m_deviceClock;
    Graph m_graph;
    std::function<void()> m_waitsForDevice;
    bool m_replayed = false;
    bool m_separatesDocuments; // documents are separated
    BatchShape m_batch;
    at::Tensor m_places; // positions and bounds of the documents
};

Error noMemory(const std::string &what)
{
    return {.what = what,
        .accepted = "a smaller --micro-batch or --seq-len, --recompute full, or a smaller model",
        .fault = Fault::Outside};
}

} // namespace

Result<std::unique_ptr<Backend>> makeTorchBackend(
    TorchDevice kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, const DeviceOptions &options)
{
    const at::Device device = deviceOf(kind, options.localRank);
    try {
        if (!device.is_cpu())
            c10::impl::VirtualGuardImpl(device.type())
                .setDevice(device); // for this rank's thread, and for kernels without a tensor
        const c10::InferenceMode noGradients;
        const auto counter = std::make_shared<AllocationCounter>(device);
        const AllocationCounter::Counting counting(counter);
        // Sums stay in fp32 to the end. By default, LibTorch lets cuBLAS add the partial sums of a split GEMM in bf16.
        at::globalContext().setAllowBF16ReductionCuBLAS(false);
        if (options.deterministic)
            makeDeterministic();
        // Created before any use of a stream, because LibTorch's streams do not wait for the default stream.
        options.reportProgress("starting the device");
        std::unique_ptr<DeviceStreams> streams = streamsFor(device);
        // Then the context and the libraries, so that their memory is allocated before the arena.
        options.reportProgress("loading the libraries for attention");
        const AttentionChoice attention = attentionOf(device, plan, model, options);
        TorchContext context = contextOf(device, plan, model, attention.kernel, options);
        Findings findings{.outside = runFirstUse(device, streams.get(), options), .counter = counter};
        if (!attention.refused.empty())
            findings.warnings.push_back(attention.refused);
        if (context.gemmLibrary && !options.gemmAlgorithms.empty() &&
            !context.gemmLibrary->restoreAlgorithms(options.gemmAlgorithms))
            findings.warnings.emplace_back(
                "the run began on another GPU or with another cuBLASLt, so its GEMMs now round "
                "differently");
        options.reportProgress("allocating the memory of the step");
        at::Tensor arena = at::zeros({arenaBytes}, at::TensorOptions(at::kByte).device(device));
        return std::unique_ptr<Backend>(std::make_unique<TorchBackend>(
            std::move(streams), std::move(arena), std::move(context), std::move(findings), plan, options));
    } catch (const OutOfMemory &error) { // thrown by a library
        return noMemory(error.what());
    } catch (const c10::OutOfMemoryError &error) {
        return noMemory(outOfMemory(arenaBytes, error.what_without_backtrace(), device));
    } catch (const c10::Error &error) {
        const std::string words = error.what_without_backtrace();
        if (!device.is_cpu() && isOutOfMemoryMessage(words))
            return noMemory(outOfMemory(arenaBytes, words, device));
        return Error{.what = "LibTorch: " + words, .where = "--device", .fault = Fault::Outside};
    }
}

} // namespace slipway
