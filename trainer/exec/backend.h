// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a step runs: the memory of its arena, the functions that run its ops, and copies to and from it.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "comm/out_of_memory.h"
#include "exec/executor.h"
#include "exec/op_table.h"
#include "exec/step_streams.h"

namespace slipway {

// A member of PhaseSeconds.
using Part = Seconds PhaseSeconds::*;

// The input of a step where its ops read it.
struct StagedInput {
    StepInput ids;
    std::vector<DocumentTable> documents = {}; // per micro-batch, if the plan separates documents
};

// Memory that a backend allocates in addition to the arena.
struct BackendMemory {
    Bytes allocatedPeak = 0; // since the last call of backendMemory()
    Bytes reserved = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    // Addresses of the device. The host may dereference them if onHost().
    [[nodiscard]] virtual std::span<std::byte> arena() const = 0;
    [[nodiscard]] virtual bool onHost() const = 0;

    // Copies what the ops of the step read in addition to the arena: the ids, which LoadBatch copies, and the rates of
    // the optimizer. The result is valid until the next call.
    virtual StagedInput stage(StepInput input, const OptimizerStep &optimizer) = 0;
    virtual void beginStep() = 0;
    // Whether the device replays the CUDA graph of the last full step, so that the caller makes no calls until
    // endStep(). `whole`: the caller is about to run a full step without an observer.
    virtual bool replays(bool whole) { return static_cast<void>(whole), false; }
    // Whether there is a graph to replay.
    [[nodiscard]] virtual bool hasGraph() const { return false; }
    // All ops of the step have been launched. False: capturing a graph failed and none has run; the caller repeats
    // them.
    virtual bool endWalk() { return true; }
    // Launches an op. A device may run it later, in the order of the calls on its stream.
    virtual void run(const OpCall &call, const StepContext &context) = 0;
    // Before the first step: runs the op on its later operands with any contents, so that the device loads, prepares
    // and chooses its kernels.
    virtual void prepare(const OpCall &call, const StepContext &context) { run(call, context); }
    // Zeroes the arena.
    virtual void clear() {}
    // nullptr if all ops run in the order of the calls.
    virtual StepStreams *streams() { return nullptr; }
    // From now on, time is counted as `part`.
    virtual void enter(Part part) = 0;
    // fp32 scalars that the step leaves in the arena: fetch() enqueues one copy of them after the last op. It is called
    // once per step before endStep(), and fetched() after it.
    static constexpr std::size_t kFetched = 2;
    virtual void fetch(const std::array<const std::byte *, kFetched> &from) { m_fetched = from; }
    [[nodiscard]] virtual std::array<float, kFetched> fetched()
    {
        std::array<float, kFetched> values{};
        for (std::size_t i = 0; i < kFetched; ++i)
            read(m_fetched[i], std::as_writable_bytes(std::span(&values[i], 1)));
        return values;
    }
    // Waits until the step has ended.
    virtual PhaseSeconds endStep() = 0;
    [[nodiscard]] virtual BackendMemory backendMemory() = 0;
    // Empty if ops run in host memory.
    [[nodiscard]] virtual std::optional<OutsideMemory> outsideMemory() const { return std::nullopt; }
    // Deviations from the usual execution, as sentences for users.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    // See Executor::gemmAlgorithms().
    [[nodiscard]] virtual std::string gemmAlgorithms() const { return {}; }
    // The chosen implementations: "flash-2 attention, direct GEMMs, own kernels, graph off".
    [[nodiscard]] virtual std::string description() const = 0;

    // Copies between host and arena, after all ops that were launched before.
    virtual void read(const std::byte *from, std::span<std::byte> to) = 0;
    virtual void write(std::span<const std::byte> from, std::byte *to) = 0;
    // Asynchronous copies to the host, if it cannot read the arena. finishCopies() copies the state of the sources
    // after all ops that were launched before beginCopies(). Any thread may call it. The sink gets the sources in
    // order.
    using CopySink = std::function<void(std::size_t number, Bytes offset, std::span<const std::byte> bytes)>;
    virtual void beginCopies() {}
    virtual void finishCopies(std::span<const std::span<const std::byte>> sources, const CopySink &sink)
    {
        static_cast<void>(sources), static_cast<void>(sink);
    }
    // bf16[i] = fp32[i], within the arena.
    virtual void castToBf16(const std::byte *fp32, std::byte *bf16, std::int64_t elements) = 0;

private:
    std::array<const std::byte *, kFetched> m_fetched{};
};

// Work that runs once before the arena is allocated, so that libraries which allocate memory at their first use have
// it, and the rest is known.
struct FirstUse {
    Bytes room = 0; // device memory that it needs while it runs; 0: there is nothing to run
    std::function<void(std::byte *memory, void *stream)> start = {};
    std::function<void()> check = {}; // called after it; throws if it was aborted
};

// The device, and which implementations it uses.
struct DeviceOptions {
    int localRank = 0;  // ranks of one machine use its GPUs in turn
    int tensorRank = 0; // tensor-parallel rank
    int contextRank = 0;
    int ranksInProcess = 1;
    bool shared = false;        // ranks that are threads of this process share the device and its allocator
    bool deterministic = false; // see ExecutorOptions
    bool ownKernels = true;
    std::shared_ptr<fused_ops::GemmLibrary> gemmLibrary = {};
    std::string gemmAlgorithms = {}; // see ExecutorOptions
    StepGraphs graphs = StepGraphs::Auto;
    FirstUse firstUse = {};
    std::optional<std::uint64_t> emulatedStreams = {}; // see ExecutorOptions
    std::function<void(const char *doing)> reportProgress = [](const char *) {
    }; // called before work that may take long, such as loading a library
    std::function<void()> reportDeviceWait = [] {}; // called before the host waits for the device
    // Whether `own` is true on any rank. A collective of all ranks of the plan.
    std::function<bool(bool own)> onAnyRank = [](bool own) { return own; };
};

// Whether the backend can execute the kernel's op in its type.
bool executes(BackendKind backend, const Kernel &kernel);

Result<std::unique_ptr<Backend>> makeBackend(
    BackendKind kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceOptions options = {});

} // namespace slipway
