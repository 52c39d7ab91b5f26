// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Executes a StepPlan on this rank, with the ops, buffers and offsets that the planner simulates. All tensors of a step
// are in one arena, which is allocated once on the host or on a GPU (backend.h). Not thread-safe; ranks that are
// threads have one executor each.
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

// This rank's input of a step: [gradAccum, microBatch, seqLen], contiguous. With separate documents, a target of -1 is
// ignored, because the next token belongs to another document.
struct StepInput {
    std::span<const std::int32_t> tokens;
    std::span<const std::int32_t> targets;
    std::span<const std::int32_t> documentStarts =
        {}; // where in its sequence each token's document begins; empty: documents are not separated
};

struct OptimizerStep {
    double learningRate = 3e-4;
    double embeddingRateFactor = 1, headRateFactor = 1; // factors on the learning rate of the embeddings, of the head
    double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
    double weightDecay = 0.1;                                                              // decoupled
    ParameterKinds noDecay = ParameterKinds::of(ParameterKind::Norm, ParameterKind::Bias); // without weight decay
    double muonMomentum = 0.95;
    double gradClip = 1.0; // upper limit of the norm of all gradients; 0: no clipping
    std::int64_t step = 1; // from 1, for the bias correction
};

struct PhaseSeconds {
    Seconds forward = 0, backward = 0, optimizer = 0, communication = 0; // backward includes recomputation
    bool operator==(const PhaseSeconds &) const = default;
};

struct StepOutcome {
    double loss = 0;     // in nats: mean over the tokens of all ranks
    double gradNorm = 0; // before clipping
    PhaseSeconds seconds;
    Bytes allocatedPeak = 0;               // peak of the arena in this step, plus LibTorch's allocator if ops use it
    Bytes reservedPeak = 0;                // highest reserved memory of both, since the start
    bool replayed = false;                 // a CUDA graph was replayed
    std::vector<double> expertShares = {}; // fraction of all rows that each expert received; empty without experts
};

// Device memory outside LibTorch's allocator, before the arena is allocated: the device's context, loaded kernels,
// memory of libraries. Includes other programs on the device.
struct OutsideMemory {
    Bytes all = 0;
    Bytes collectives = 0; // the part that collectives allocated at their first call
};

// Host: our own ops on the CPU, in fp32. Cuda: LibTorch's ops and our fused kernels on a GPU. TorchCpu: the code of
// Cuda on the CPU.
enum class BackendKind : std::uint8_t { Host, Cuda, TorchCpu };
template<>
struct EnumNames<BackendKind> {
    static constexpr std::array<std::string_view, 3> names{"cpu", "cuda", "torch-cpu"};
};

// The backend for the device of a configuration. Auto: a GPU if this program supports one and there is one.
Result<BackendKind> backendFor(DeviceKind device);

// Whether the step is recorded and replayed as a CUDA graph (step_graph.h), on one rank only. Auto: if it is
// launch-bound. If recording fails, the step runs without a graph.
enum class StepGraphs : std::uint8_t { Auto, Off, On };
template<>
struct EnumNames<StepGraphs> {
    static constexpr std::array<std::string_view, 3> names{"auto", "off", "on"};
};

struct ExecutorOptions {
    BackendKind backend = BackendKind::Host;
    std::uint64_t seed = 0;     // seed of the initial weights; the same on all ranks
    int threads = 0;            // per op; 0: the cores of this machine, divided among its ranks
    double zLoss = 0;           // weight of the z-loss, which changes gradients but not the reported loss
    bool deterministic = false; // no ops of LibTorch that add in the order of their threads
    bool ownKernels = true;     // our fused kernels in place of LibTorch's ops, where there are any
    StepGraphs graphs = StepGraphs::Auto;
    // Replaces the GEMM library of the device, for tests.
    std::shared_ptr<fused_ops::GemmLibrary> gemmLibrary = {};
    // Executor::gemmAlgorithms() of an earlier run on the same device, to use the same algorithms for the same shapes.
    std::string gemmAlgorithms = {};
    // BackendKind::TorchCpu: ops are delayed and reordered depending on this seed, as a device may do
    // (stream_emulator.h).
    std::optional<std::uint64_t> emulatedStreams = {};
};

// Reported before and after each op, for tests and profiles.
struct OpEvent {
    const Op &op;
    const Slot &slot;
    int microBatch = 0; // within the step
    bool before = false;
    Bytes alive = 0; // bytes of all instances that are allocated while it runs, not rounded
};

class Executor {
public:
    // Allocates the arena and initializes the weights. Fails if this build cannot execute the plan (bf16 on a CPU, a
    // strategy without its ops), or if there is not enough memory. `plan` is copied; `communicator` must outlive the
    // executor.
    static Result<std::unique_ptr<Executor>> create(
        const StepPlan &plan, const ModelSpec &model, Communicator &communicator, const ExecutorOptions &options = {});
    ~Executor();
    Executor(const Executor &) = delete;
    Executor &operator=(const Executor &) = delete;

    // One optimizer step. Fault::Input for a wrong size or an id outside the vocabulary, before any weight changes.
    // Throws PeerFailed and LibTorch's exceptions. On an asynchronous device, `meanwhile` is called once between the
    // last launch and the wait. `input` must not change until the step has ended.
    Result<StepOutcome> step(
        StepInput input, const OptimizerStep &optimizer, const std::function<void()> &meanwhile = {});
    // Mean loss over all ranks by the forward ops of the plan. Changes no state.
    Result<double> evaluate(StepInput input);

    // All weights of which this rank has a shard, in the order of the model, without tied heads. Views are valid as
    // long as the executor.
    [[nodiscard]] const std::vector<WeightView> &weights() const;
    // Views may be copies of the weights on the device. uploadWeights() copies them to the device after they were
    // written, on all ranks together. downloadWeights() copies them from the device before they are read.
    // releaseCopies() frees their memory, after which they read as zeros, as after an upload.
    void uploadWeights();
    // Swaps the weights with their moving averages, on all ranks together, so that evaluations between two calls use
    // the averages. Only for plans with averages.
    void exchangeAverages();
    void downloadWeights();
    void releaseCopies();
    // Whether views are copies, which do not change during steps: on a GPU, or if odd widths are padded.
    [[nodiscard]] bool weightsAreCopies() const;
    // An asynchronous downloadWeights(): the weights as of beginDownload() are copied by finishDownload(), in any
    // thread, while steps continue. The next update of the weights waits for it.
    void beginDownload();
    void finishDownload();

    // Empty if ops run in host memory.
    [[nodiscard]] std::optional<OutsideMemory> outsideMemory() const;
    // The algorithms that the GEMM library has chosen so far, as text for ExecutorOptions. Empty if it has no choice.
    [[nodiscard]] std::string gemmAlgorithms() const;
    // Deviations from the usual execution on such a device, as sentences for users.
    [[nodiscard]] std::vector<std::string> warnings() const;
    // The chosen implementations, see Backend::description().
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::int64_t microBatch() const;
    [[nodiscard]] std::int64_t seqLen() const;
    [[nodiscard]] std::int64_t tokensPerStep() const; // tokens of this rank: gradAccum x microBatch x seqLen

    void setObserver(std::function<void(const OpEvent &)> observer);
    // The bytes of an allocated instance, from the start of the use to the end of the instance. On a GPU it is a copy
    // to read, valid until the next call.
    [[nodiscard]] std::span<std::byte> bytesOf(const Use &use, const Slot &slot, int microBatch);
    [[nodiscard]] std::span<const std::byte> arenaBytes() const; // empty if the host cannot read them

private:
    struct State;
    explicit Executor(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace slipway
