// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a step runs: the memory of its arena, the functions that run its ops there, and the way in and out.
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

// A part of a step's time.
using Part = Seconds PhaseSeconds::*;

// A step's input where its ops read it.
struct StagedInput {
    StepInput ids;
    std::vector<DocumentTable> documents = {}; // of each micro-batch, where the plan keeps them apart
};

// What a backend's own allocations besides the arena came to.
struct ExtraMemory {
    Bytes allocatedPeak = 0; // since the last question
    Bytes reserved = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    // Addresses of the device; the host may follow them where onHost.
    [[nodiscard]] virtual std::span<std::byte> arena() const = 0;
    [[nodiscard]] virtual bool onHost() const = 0;

    // What the ops of the step will read besides the arena: the same ids where LoadBatch copies from, valid until the
    // next call, and the optimizer's rates.
    virtual StagedInput stage(StepInput input, const OptimizerStep &optimizer) = 0;
    virtual void beginStep() = 0;
    // Whether the device runs the ops of the newest whole step again by itself, in place of the caller's calls up to
    // endStep. `whole`: the caller is going to run a whole step, and nobody looks at it meanwhile.
    virtual bool replays(bool whole) { return static_cast<void>(whole), false; }
    // Whether replays may do so.
    [[nodiscard]] virtual bool hasGraph() const { return false; }
    // All ops of the step were started. False: none of them has run, and the caller starts them again.
    virtual bool endWalk() { return true; }
    // Starts an op; a device may run it later, in the order of the calls of its lane.
    virtual void run(const OpCall &call, const StepContext &context) = 0;
    // Before the first step: the op with the operands that it will have, whatever they hold. What the device loads,
    // prepares or chooses when it meets such an op is there afterwards.
    virtual void prepare(const OpCall &call, const StepContext &context) { run(call, context); }
    // The arena is zero again, as a new one.
    virtual void clear() {}
    // Null where all ops run in the order of the calls.
    virtual StepStreams *streams() { return nullptr; }
    // From now on time counts to `part`.
    virtual void enter(Part part) = 0;
    // Values of fp32 that the step leaves in the arena: brought over behind its last op, in one way for all of them.
    // Once a step, before endStep; `fetched` after it.
    static constexpr std::size_t kFetched = 2;
    virtual void fetch(const std::array<const std::byte *, kFetched> &from) { m_fetched = from; }
    [[nodiscard]] virtual std::array<float, kFetched> fetched()
    {
        std::array<float, kFetched> values{};
        for (std::size_t i = 0; i < kFetched; ++i)
            read(m_fetched[i], std::as_writable_bytes(std::span(&values[i], 1)));
        return values;
    }
    // Waits for the step's end.
    virtual PhaseSeconds endStep() = 0;
    [[nodiscard]] virtual ExtraMemory extraMemory() = 0;
    // Empty where ops run in the host's memory.
    [[nodiscard]] virtual std::optional<OutsideMemory> outsideMemory() const { return std::nullopt; }
    // What does not go as it does elsewhere, in sentences for users.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
    // See Executor.
    [[nodiscard]] virtual std::string productChoices() const { return {}; }
    // Whose kernels run, where there was a choice: "flash-2 attention, direct products, own kernels, graph off".
    [[nodiscard]] virtual std::string description() const = 0;

    // Copies between host and arena, after all that was started before.
    virtual void read(const std::byte *from, std::span<std::byte> to) = 0;
    virtual void write(std::span<const std::byte> from, std::byte *to) = 0;
    // Brings the sources over as they are when all has run that was started before beginCopies; finishCopies in any
    // thread, and in the order of the sources. Where the host does not see the arena.
    using CopySink = std::function<void(std::size_t number, Bytes offset, std::span<const std::byte> bytes)>;
    virtual void beginCopies() {}
    virtual void finishCopies(std::span<const std::span<const std::byte>> sources, const CopySink &sink)
    {
        static_cast<void>(sources), static_cast<void>(sink);
    }
    // to[i] = from[i] in bf16, within the arena.
    virtual void castToBf16(const std::byte *fp32, std::byte *bf16, std::int64_t elements) = 0;

private:
    std::array<const std::byte *, kFetched> m_fetched{};
};

// What is run once before the arena is made: libraries that take memory for themselves when they are first used have
// it then, and what is left is known.
struct FirstUse {
    Bytes room = 0; // on the device, for as long as it runs; 0: nothing is run
    std::function<void(std::byte *memory, void *stream)> start = {};
    std::function<void()> check = {}; // once the device has run it; throws where it was given up
};

// Which device, and with whose ops.
struct DeviceChoice {
    int place = 0; // of the rank on its machine: ranks take the GPUs in turn
    int ranksInProcess = 1;
    bool shared = false;        // by ranks that are threads of this process: its allocator counts for all of them
    bool deterministic = false; // see ExecutorOptions
    bool ownKernels = true;
    std::shared_ptr<fused_ops::Products> products = {};
    std::string productChoices = {}; // see ExecutorOptions
    StepGraphs graphs = StepGraphs::Auto;
    FirstUse firstUse = {};
    std::optional<std::uint64_t> rehearsal = {}; // see ExecutorOptions
    std::function<void(const char *doing)> reportProgress = [](const char *) {
    }; // called before each library that is loaded, and each part that may take its time
    std::function<void()> awaitsDevice = [] {}; // before each part of a step that the host waits for
    // Whether what is said of this rank holds of any. All ranks of a plan ask together.
    std::function<bool(bool own)> onAnyRank = [](bool own) { return own; };
};

// Whether the backend has the op in this precision. Kinds of ops come from the plan.
bool executes(BackendKind backend, const Kernel &kernel);

Result<std::unique_ptr<Backend>> makeBackend(
    BackendKind kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceChoice choice = {});

} // namespace slipway
