// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/rank_loop.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/control_group.h"
#include "base/file.h"
#include "exec/cuda_devices.h"
#include "exec/executor.h"
#include "plan/mesh.h"
#include "run/batches.h"
#include "run/checkpointer.h"
#include "run/gpu_monitor.h"
#include "run/lr_schedule.h"

namespace slipway {

namespace {

constexpr std::int64_t kEvaluationPasses = 8;
constexpr Bytes kMostChoices = 4 * kMiB;

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template<typename T>
T orThrow(Result<T> result)
{
    if (!result)
        throw RankFailure(result.error());
    return std::move(*result);
}

void orThrow(const Result<void> &result)
{
    if (!result)
        throw RankFailure(result.error());
}

template<typename T>
void broadcastValue(Communicator &communicator, T &value)
{
    communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
}

class RankLoop {
public:
    RankLoop(const RankRun &run, Communicator &communicator);
    int run();

private:
    void restore();
    void read(std::uint64_t first);
    [[nodiscard]] StepMetrics step();
    [[nodiscard]] bool evaluationDue() const;
    void evaluate(StepMetrics &metrics);
    [[nodiscard]] double lossOf(std::size_t set);
    [[nodiscard]] int stopStatus();
    void checkpoint();
    [[nodiscard]] std::filesystem::path choicesFile() const;
    void keepChoices();
    [[nodiscard]] int diverged(const std::string &message);
    void reportCheckpoint(Result<std::optional<SavedCheckpoint>> written);
    [[nodiscard]] RunRecord *record() const { return m_run.record; }

    const RankRun &m_run;
    const RunJob &m_job;
    Communicator &m_communicator;
    std::array<Batches, 2> m_batches; // alternating: one is read while a device computes the other
    std::size_t m_turn = 0;
    std::optional<Result<StepInput>> m_readAhead; // the input of the next step
    std::vector<Batches> m_evalBatches;           // one per evaluation set
    std::string m_choices;                        // algorithms of GEMMs, as stored in the file
    std::unique_ptr<Executor> m_executor;
    std::optional<Checkpointer> m_checkpointer;
    std::unique_ptr<GpuMonitor> m_gpus; // only on the first rank: the visible GPUs of the ranks on this machine
    RunPosition m_position;
    std::int64_t m_checkpointStep = -1;
    bool m_finite = true;                   // whether loss and gradient norm of the latest step are finite
    std::optional<std::int64_t> m_diverged; // the first step of this attempt for which they were not finite
};

// The names that the validation of the configuration accepts.
ParameterKinds undecayed(const TrainingChoice &training)
{
    ParameterKinds kinds;
    for (const std::string &name : training.noDecay) {
        if (const auto kind = enumFromName<ParameterKind>(name))
            kinds.add(*kind);
    }
    return kinds;
}

Batches::Shape shapeOf(const RankRun &run, const Communicator &communicator)
{
    const RunConfig &config = run.job.config;
    const StepPlan &plan = run.job.planOf(communicator.rank());
    return {.rows = config.gradAccum * config.microBatch,
        .rank = coordinateOf(plan, communicator.rank()).data,
        .ranks = plan.mesh.dataRanks(),
        .documents = run.documents};
}

int threadsOfRank(const RunOptions &options, int ranks)
{
    const int all = options.threads > 0 ? options.threads : usableThreads();
    return std::max(1, all / ranks);
}

// Ranks with different configurations would wait for each other in different collectives, or train different models.
void requireOneConfiguration(const RunJob &job, Communicator &communicator)
{
    constexpr std::size_t kLength = 16;
    std::array<char, kLength> own{};
    job.configDigest.copy(own.data(), own.size());
    std::vector<char> all(kLength * static_cast<std::size_t>(communicator.size()));
    communicator.allGather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    for (int rank = 1; rank < communicator.size(); ++rank) {
        if (std::memcmp(all.data(), all.data() + kLength * static_cast<std::size_t>(rank), kLength) != 0) {
            throw RankFailure({.what = communicator.nameOf(rank) + " has another run.yaml than rank 0",
                .where = job.paths.config().string(),
                .accepted = "the same file on every node"});
        }
    }
}

std::vector<std::string> gpusOfMachine(const Communicator &communicator)
{
    std::vector<std::string> uuids;
    if (const Result<std::vector<CudaDevice>> devices = cudaDevices()) {
        for (const CudaDevice &device : *devices)
            uuids.push_back(device.uuid);
    }
    uuids.resize(std::min(uuids.size(), static_cast<std::size_t>(communicator.localSize())));
    return uuids;
}

RankLoop::RankLoop(const RankRun &run, Communicator &communicator)
    : m_run(run),
      m_job(run.job),
      m_communicator(communicator),
      m_batches{Batches(run.data, shapeOf(run, communicator)), Batches(run.data, shapeOf(run, communicator))}
{
    communicator.nameRanks([mesh = m_job.config.parallel](int rank) { return coordinateText(mesh, rank); });
    requireOneConfiguration(m_job, communicator);
    for (const EvaluationSet &set : run.evaluations)
        m_evalBatches.emplace_back(set.data, shapeOf(run, communicator));
    // If the file cannot be read, the algorithms are chosen again.
    if (run.options.resume)
        m_choices = readPrivateFile(choicesFile(), kMostChoices).valueOr({});
    communicator.reportProgress("allocating memory for the step");
    m_executor = orThrow(Executor::create(m_job.planOf(communicator.rank()), m_job.model, communicator,
        {.backend = m_job.backend,
            .seed = m_job.config.training.seed,
            .threads = threadsOfRank(run.options, communicator.localSize()),
            .zLoss = m_job.config.training.zLoss,
            .deterministic = m_job.config.training.deterministic,
            .gemmAlgorithms = m_choices}));
    if (record() && m_job.backend == BackendKind::Cuda)
        m_gpus = GpuMonitor::start(gpusOfMachine(communicator));
    m_checkpointer.emplace(CheckpointStore(m_job.paths.checkpoints()), communicator, m_job.planOf(communicator.rank()),
        m_job.config.training.keepCheckpoints);
}

// The first rank chooses the checkpoint and verifies all of it; then each rank reads its own shard.
void RankLoop::restore()
{
    const auto reportProgress = [this] { m_communicator.reportProgress("reading the checkpoint"); };
    reportProgress();
    if (record())
        m_position = orThrow(record()->restore(reportProgress));
    broadcastValue(m_communicator, m_position);
    if (m_position.restored) {
        const CheckpointStore store(m_job.paths.checkpoints());
        orThrow(store.read(store.at(m_position.step), checkpointTensors(*m_executor), reportProgress));
        m_executor->uploadWeights();
    }
    m_checkpointStep = m_position.restored ? m_position.step : -1;
    if (record())
        orThrow(record()->started(m_position));
    for (const std::string &warning : record() ? m_executor->warnings() : std::vector<std::string>()) {
        record()->warn(warning);
        orThrow(record()->event("alert", warning, m_position.step));
    }
    if (const std::optional<OutsideMemory> outside = m_executor->outsideMemory(); record() && outside)
        orThrow(record()->outsideMemory(*outside));
    m_communicator.barrier(); // some ranks read faster than others
    m_communicator.finishStartup();
}

// Reads the input of the step that begins with this sample. An error is reported when that step is due.
void RankLoop::read(std::uint64_t first)
{
    m_communicator.reportProgress("reading its data");
    m_turn = 1 - m_turn;
    m_readAhead.emplace(m_batches[m_turn].training(first));
}

StepMetrics RankLoop::step()
{
    const TrainingChoice &training = m_job.config.training;
    const std::int64_t number = m_position.step + 1;
    const Clock::time_point start = Clock::now();
    if (!m_readAhead)
        read(m_position.samples);
    const StepInput input = orThrow(*std::exchange(m_readAhead, std::nullopt));
    const Seconds dataWait = since(start);
    const double peak = training.learningRate;
    const OptimizerStep optimizer{.learningRate = learningRateAt(number, m_job.steps, training),
        .embeddingRateFactor = training.embeddingLearningRate.value_or(peak) / (peak > 0 ? peak : 1),
        .headRateFactor = training.headLearningRate.value_or(peak) / (peak > 0 ? peak : 1),
        .beta1 = training.beta1,
        .beta2 = training.beta2,
        .weightDecay = training.weightDecay,
        .noDecay = undecayed(training),
        .muonMomentum = training.muonMomentum,
        .gradClip = training.gradClip,
        .step = number};
    const auto readAhead = [this, number] {
        if (number < m_job.steps)
            read(m_position.samples + static_cast<std::uint64_t>(m_job.samplesPerStep()));
    };
    const StepOutcome outcome = orThrow(m_executor->step(input, optimizer, readAhead));
    const Seconds seconds = since(start);

    m_position.step = number;
    m_position.tokens += m_job.config.tokensPerStep();
    m_position.samples += static_cast<std::uint64_t>(m_job.samplesPerStep());
    m_finite = std::isfinite(outcome.loss) && std::isfinite(outcome.gradNorm);
    if (!m_finite && !m_diverged)
        m_diverged = number;
    StepMetrics metrics{.step = number,
        .tokens = m_position.tokens,
        .stepSeconds = seconds,
        .tokensPerSecond = static_cast<double>(m_job.config.tokensPerStep()) / seconds,
        .loss = outcome.loss,
        .learningRate = optimizer.learningRate,
        .gradNorm = outcome.gradNorm,
        .allocatedPeak = outcome.allocatedPeak,
        .reservedPeak = outcome.reservedPeak,
        .dataWait = dataWait,
        .forward = outcome.seconds.forward,
        .backward = outcome.seconds.backward,
        .optimizer = outcome.seconds.optimizer,
        .communicationExposed = outcome.seconds.communication};
    metrics.expertShares = outcome.expertShares;
    if (m_gpus)
        metrics.gpus = m_gpus->latest();
    if (!metrics.gpus.empty())
        metrics.deviceUsed = metrics.gpus.front().used;
    if (m_job.peakFlops > 0) {
        const double flops = modelFlopsPerToken(m_job.model, m_job.config.seqLen) * metrics.tokensPerSecond;
        metrics.mfu = flops / m_job.peakFlops;
    }
    return metrics;
}

bool RankLoop::evaluationDue() const
{
    const std::int64_t every = m_job.config.training.evalEvery;
    return !m_evalBatches.empty() && every > 0 && (m_position.step % every == 0 || m_position.step == m_job.steps);
}

double RankLoop::lossOf(std::size_t set)
{
    const auto windows = static_cast<std::int64_t>(m_run.evaluations[set].data.windowCount());
    const std::int64_t passes = std::clamp<std::int64_t>(windows / m_job.samplesPerStep(), 1, kEvaluationPasses);
    double sum = 0;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        sum += orThrow(m_executor->evaluate(orThrow(m_evalBatches[set].evaluation(static_cast<std::uint64_t>(pass)))));
    return sum / static_cast<double>(passes);
}

// Evaluates the moving average of the weights, if there is one.
void RankLoop::evaluate(StepMetrics &metrics)
{
    const bool averages = m_job.config.ema > 0;
    if (averages)
        m_executor->exchangeAverages();
    double sum = 0;
    for (std::size_t set = 0; set < m_evalBatches.size(); ++set) {
        const double loss = lossOf(set);
        sum += loss;
        if (const std::string &name = m_run.evaluations[set].name; !name.empty())
            metrics.evalLosses[name] = loss;
    }
    metrics.evalLoss = sum / static_cast<double>(m_evalBatches.size());
    if (!averages)
        return;
    m_executor->exchangeAverages();
    metrics.evalWeights = "ema";
}

// 0 if no stop was requested. The first rank decides, so that all ranks stop after the same step.
int RankLoop::stopStatus()
{
    int status = 0;
    if (record()) {
        if (const std::optional<StopReason> reason = m_run.stopMonitor.reason()) {
            status = reason->exitStatus;
            record()->say("stopping after step " + std::to_string(m_position.step) + ": " + reason->text);
            orThrow(record()->event("stopping", reason->text, m_position.step));
        }
    }
    broadcastValue(m_communicator, status);
    return status;
}

void RankLoop::reportCheckpoint(Result<std::optional<SavedCheckpoint>> written)
{
    const std::optional<SavedCheckpoint> saved = orThrow(std::move(written));
    if (saved && record())
        orThrow(record()->checkpointWritten(*saved));
}

// The file with the algorithms for this rank's GPU, which a resumed run uses again.
std::filesystem::path RankLoop::choicesFile() const
{
    return m_job.paths.directory / "gemm-algorithms" / fmt::format("rank-{}.txt", m_communicator.rank());
}

void RankLoop::keepChoices()
{
    const std::string choices = m_executor->gemmAlgorithms();
    if (choices == m_choices || choices.empty())
        return;
    orThrow(makePrivateFolder(choicesFile().parent_path()));
    orThrow(writePrivateFile(choicesFile(), choices));
    m_choices = choices;
}

// Weights that are not finite are not written, so that they do not replace good checkpoints.
void RankLoop::checkpoint()
{
    if (m_checkpointStep == m_position.step)
        return;
    if (!m_finite) {
        if (record())
            orThrow(record()->event(
                "alert", "no checkpoint was written, because the weights are not finite", m_position.step));
        return;
    }
    m_checkpointStep = m_position.step;
    m_communicator.reportProgress("writing a checkpoint");
    keepChoices();
    reportCheckpoint(m_checkpointer->start(
        record() ? record()->manifestOf(m_position) : CheckpointManifest{.step = m_position.step}, *m_executor));
}

// Writes the last event of the run, and returns the exit status.
int RankLoop::diverged(const std::string &message)
{
    if (record())
        orThrow(record()->event("fault", message, m_position.step, kDiverged));
    return kExitNotFinite;
}

int RankLoop::run()
{
    restore();
    const TrainingChoice &training = m_job.config.training;
    while (m_position.step < m_job.steps) {
        StepMetrics metrics = step();
        m_communicator.reportProgress("writing the metrics");
        if (evaluationDue())
            evaluate(metrics);
        if (record())
            orThrow(record()->step(std::move(metrics)));
        reportCheckpoint(m_checkpointer->poll(false));
        if (!m_finite && m_run.options.stopOnNan.value_or(training.stopOnNan)) {
            reportCheckpoint(m_checkpointer->poll(true));
            return diverged(
                fmt::format("stopped: the loss or the gradient norm of step {} is not finite", *m_diverged));
        }
        const int status = m_position.step < m_job.steps ? stopStatus() : 0;
        const bool due = training.checkpointEvery > 0 && m_position.step % training.checkpointEvery == 0;
        if (due || status != 0 || m_position.step == m_job.steps)
            checkpoint();
        if (status != 0) {
            reportCheckpoint(m_checkpointer->poll(true));
            return status;
        }
    }
    reportCheckpoint(m_checkpointer->poll(true));
    if (m_diverged)
        return diverged(fmt::format("the loss or the gradient norm was not finite from step {} on", *m_diverged));
    if (record())
        orThrow(record()->event("finished", "step " + std::to_string(m_position.step), m_position.step));
    return 0;
}

} // namespace

int runRank(const RankRun &run, Communicator &communicator) { return RankLoop(run, communicator).run(); }

} // namespace slipway
