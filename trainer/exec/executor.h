// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Executes a StepPlan on this rank: the same ops, buffers and offsets that the planner walks. All tensors of a step lie
// in one arena that is mapped once, on the processor or on a GPU (backend.h). Not thread-safe; ranks as threads have an
// executor each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "comm/communicator.h"
#include "config/run_config.h"
#include "exec/weight_views.h"
#include "fused_ops/gemm.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// This rank's share of a step: [gradAccum][microBatch][seqLen], contiguous. Every target counts, but where documents
// are kept apart those that are -1: the next token is of another document.
struct StepInput {
    std::span<const std::int32_t> tokens;
    std::span<const std::int32_t> targets;
    std::span<const std::int32_t> documentStarts =
        {}; // where in its sequence each token's document begins; empty: not kept apart
};

struct OptimizerStep {
    double learningRate = 3e-4;
    double embeddingRate = 1, headRate = 1; // times the learning rate: of the embeddings, of the head
    double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
    double weightDecay = 0.1;                                                              // decoupled
    ParameterKinds noDecay = ParameterKinds::of(ParameterKind::Norm, ParameterKind::Bias); // not decayed
    double muonMomentum = 0.95;
    double gradClip = 1.0; // largest norm of all gradients; 0: off
    std::int64_t step = 1; // counts from 1: bias correction
};

struct PhaseSeconds {
    Seconds forward = 0, backward = 0, optimizer = 0, communication = 0; // recomputation counts to backward
    bool operator==(const PhaseSeconds &) const = default;
};

struct StepOutcome {
    double loss = 0;     // mean nats per token over all ranks
    double gradNorm = 0; // before clipping
    PhaseSeconds seconds;
    Bytes allocatedPeak = 0; // of the arena since the step began, and of LibTorch's allocator where ops use it
    Bytes reservedPeak = 0;  // of both, so far
    bool replayed = false;   // the device ran it by itself
    std::vector<double> expertShares = {}; // of each expert, of all rows that experts got; empty without experts
};

// What lay on the device outside LibTorch's allocator when the arena was about to be made: the device's context, loaded
// kernels, libraries' own memory. Counts other programs on that device too.
struct OutsideMemory {
    Bytes all = 0;
    Bytes collectives = 0; // of it, what each collective took when it ran for the first time
};

// Host: our own ops on the processor, fp32. Cuda: LibTorch's on a GPU. TorchCpu: the same code as on a GPU, on the
// processor.
enum class BackendKind : std::uint8_t { Host, Cuda, TorchCpu };
template<>
struct EnumNames<BackendKind> {
    static constexpr std::array<std::string_view, 3> names{"cpu", "cuda", "torch-cpu"};
};

// The backend for what a configuration asks for. auto: a GPU where this program can use one and one is there.
Result<BackendKind> backendFor(DeviceKind device);

// Whether the device keeps the step and runs it again by itself (step_graph.h). Auto: where micro-batches are so small
// that starting the ops takes longer than running them. One rank only; where it fails the step goes on as without.
enum class StepGraphs : std::uint8_t { Auto, Off, On };
template<>
struct EnumNames<StepGraphs> {
    static constexpr std::array<std::string_view, 3> names{"auto", "off", "on"};
};

struct ExecutorOptions {
    BackendKind backend = BackendKind::Host;
    std::uint64_t seed = 0;     // of the initial weights: the same on every rank
    int threads = 0;            // of one op; 0: the cores, shared among the ranks of this machine
    double zLoss = 0;           // its weight: it changes the gradients, not the loss that is reported
    bool deterministic = false; // LibTorch's ops too: none that adds in the order of its threads
    bool ownKernels = true;     // where LibTorch's ops run the step: our fused ones in place of several of them
    StepGraphs graphs = StepGraphs::Auto;
    // In the place of the device's library of products; for tests.
    std::shared_ptr<fused_ops::Products> products = {};
    // What Executor::productChoices said on the same device before: the same algorithms are taken for the same shapes.
    std::string productChoices = {};
    // BackendKind::TorchCpu: ops run late and in an order that depends on this number, as those of a device may
    // (rehearsal.h).
    std::optional<std::uint64_t> rehearsal = {};
};

// An op has run, or is about to: for tests and profiles.
struct OpEvent {
    const Op &op;
    const Slot &slot;
    int microBatch = 0; // of the step
    bool before = false;
    Bytes alive = 0; // of all instances while it runs, not rounded
};

class Executor {
public:
    // Maps the arena and initialises the weights. Fails where the plan asks for what this build cannot execute (bf16 on
    // a CPU, a strategy without its ops) or the memory is not to be had. `plan` is copied; `communicator` must outlive
    // it.
    static Result<std::unique_ptr<Executor>> create(
        const StepPlan &plan, const ModelSpec &model, Communicator &communicator, ExecutorOptions options = {});
    ~Executor();
    Executor(const Executor &) = delete;
    Executor &operator=(const Executor &) = delete;

    // One optimizer step. Fault::Input on a wrong size or an id outside the vocabulary, before any weight has changed.
    // PeerFailed and LibTorch's exceptions pass through. `meanwhile` is called once where a device computes by itself:
    // when it was given all of the step, and before it is waited for. `input` stays as it is until the step is over.
    Result<StepOutcome> step(
        StepInput input, const OptimizerStep &optimizer, const std::function<void()> &meanwhile = {});
    // Mean loss over all ranks by the plan's forward ops alone; nothing changes.
    Result<double> evaluate(StepInput input);

    // All weights that this rank has a part of, in the order of the model. Views stay valid as long as the executor.
    // Tied heads are not listed.
    [[nodiscard]] const std::vector<WeightView> &weights() const;
    // After all views were written to, and before they are read: whatever the backend, nothing is copied in vain. All
    // ranks upload together. Views that are copies take memory from when they are written to, by the caller or by a
    // download, until they are uploaded or released: then they read as zeros.
    void uploadWeights();
    // The weights and their moving averages change places, on all ranks together: evaluations between two calls are of
    // the averages. For plans with averages.
    void exchangeAverages();
    void downloadWeights();
    void releaseCopies();
    // Whether views are copies (on a GPU, or where odd widths are filled up), which stay as they are while steps go on.
    [[nodiscard]] bool weightsAreCopies() const;
    // downloadWeights in two: what the weights are now is brought over beside the steps to come, by whoever calls the
    // second one, in any thread. The next update of the weights waits for that.
    void beginDownload();
    void finishDownload();

    // What the device held besides before the arena was made. Empty where ops run in the host's memory.
    [[nodiscard]] std::optional<OutsideMemory> outsideMemory() const;
    // Which algorithms the device's library of products took so far, as text for ExecutorOptions. Empty where it takes
    // the same in any case.
    [[nodiscard]] std::string productChoices() const;
    // What does not go as it does on other devices of this kind, in sentences for users.
    [[nodiscard]] std::vector<std::string> warnings() const;
    // Whose kernels run, where there was a choice.
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::int64_t microBatch() const;
    [[nodiscard]] std::int64_t seqLen() const;
    [[nodiscard]] std::int64_t tokensPerStep() const; // of this rank: gradAccum x microBatch x seqLen

    void setObserver(std::function<void(const OpEvent &)> observer);
    // The bytes of an instance that is alive, as `slot` sees it: from the use's start to the instance's end. On a GPU a
    // copy to read, valid until the next call.
    [[nodiscard]] std::span<std::byte> bytesOf(const Use &use, const Slot &slot, int microBatch);
    [[nodiscard]] std::span<const std::byte> arenaBytes() const; // empty where the host cannot see them

private:
    struct State;
    explicit Executor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace slipway
