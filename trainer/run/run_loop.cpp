// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_loop.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file.h"
#include "comm/thread_group.h"
#include "predict/predict.h"
#include "run/batches.h"
#include "run/lr_schedule.h"
#include "run/run_lock.h"
#include "run/run_mark.h"
#include "run/run_record.h"
#include "run/stop_watch.h"

namespace slipway {

namespace {

constexpr std::int64_t kEvaluationPasses = 8;

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Carries an Error out of a rank's thread, past the collectives that other ranks wait in.
struct RankFailure : std::runtime_error {
    explicit RankFailure(Error e) : std::runtime_error(e.message()), error(std::move(e)) {}
    Error error;
};

template<typename T>
T orThrow(Result<T> result)
{
    if (!result)
        throw RankFailure(result.error());
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

// What all ranks read and only the first one writes to.
struct SharedRun {
    const RunJob &job;
    const RunOptions &options;
    const TokenSource &data;
    const TokenSource *evalData; // null: no evaluation
    const StopWatch &stopWatch;
    RunRecord &record;           // the first rank's
};

template<typename T>
void broadcastValue(Communicator &communicator, T &value)
{
    communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
}

class RankLoop {
public:
    RankLoop(const SharedRun &run, Communicator &communicator);
    int run(); // the exit status, the same on every rank

private:
    void restore();
    [[nodiscard]] StepMetrics step();
    [[nodiscard]] std::optional<double> evaluateIfDue();
    [[nodiscard]] int stopStatus();
    [[nodiscard]] bool first() const { return m_communicator.rank() == 0; }
    [[nodiscard]] RunRecord &record() const { return m_run.record; }

    const SharedRun &m_run;
    const RunJob &m_job;
    Communicator &m_communicator;
    Batches m_batches;
    std::optional<Batches> m_evalBatches;
    std::unique_ptr<Executor> m_executor;
    RunPosition m_position;
};

Batches::Shape shapeOf(const RunJob &job, const Communicator &communicator)
{
    return {.rows = job.config.gradAccum * job.config.microBatch, .rank = communicator.rank(), .ranks = communicator.size()};
}

int threadsOfRank(const RunOptions &options, int ranks)
{
    const int all = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, all / ranks);
}

RankLoop::RankLoop(const SharedRun &run, Communicator &communicator)
    : m_run(run), m_job(run.job), m_communicator(communicator), m_batches(run.data, shapeOf(run.job, communicator))
{
    if (run.evalData)
        m_evalBatches.emplace(*run.evalData, shapeOf(run.job, communicator));
    m_executor = orThrow(Executor::create(m_job.plan, m_job.model, communicator,
        {.backend = m_job.backend, .seed = m_job.config.training.seed, .threads = threadsOfRank(run.options, communicator.size())}));
}

// The first rank reads the checkpoint; the others get it from there, so that one copy of the files is enough.
void RankLoop::restore()
{
    if (first())
        m_position = orThrow(record().restore(*m_executor));
    broadcastValue(m_communicator, m_position);
    if (m_position.step > 0) {
        for (const CheckpointTensor &tensor : checkpointTensors(*m_executor)) {
            for (const std::span<float> values : {tensor.weight, tensor.momentum, tensor.variance})
                m_communicator.broadcast(std::as_writable_bytes(values), 0);
        }
        m_executor->uploadWeights();
    }
    if (first())
        orThrow(record().started(m_position));
}

StepMetrics RankLoop::step()
{
    const TrainingChoice &training = m_job.config.training;
    const std::int64_t number = m_position.step + 1;
    const Clock::time_point start = Clock::now();
    const StepInput input = orThrow(m_batches.training(m_position.samples));
    const Seconds dataWait = since(start);
    const OptimizerStep optimizer{.learningRate = learningRateAt(number, m_job.steps, training), .beta1 = training.beta1, .beta2 = training.beta2,
        .weightDecay = training.weightDecay, .gradClip = training.gradClip, .step = number};
    const StepOutcome outcome = orThrow(m_executor->step(input, optimizer));
    const Seconds seconds = since(start);

    m_position.step = number;
    m_position.tokens += m_job.config.tokensPerStep();
    m_position.samples += static_cast<std::uint64_t>(m_job.samplesPerStep());
    StepMetrics metrics{.step = number, .tokens = m_position.tokens, .stepSeconds = seconds,
        .tokensPerSecond = static_cast<double>(m_job.config.tokensPerStep()) / seconds, .loss = outcome.loss,
        .learningRate = optimizer.learningRate, .gradNorm = outcome.gradNorm, .allocatedPeak = outcome.allocatedPeak,
        .reservedPeak = outcome.reservedPeak, .dataWait = dataWait, .forward = outcome.seconds.forward, .backward = outcome.seconds.backward,
        .optimizer = outcome.seconds.optimizer, .communicationExposed = outcome.seconds.communication};
    if (m_job.peakFlops > 0) {
        const double flops = modelFlopsPerToken(m_job.model, m_job.config.seqLen) * metrics.tokensPerSecond;
        metrics.mfu = flops / m_job.peakFlops;
    }
    return metrics;
}

std::optional<double> RankLoop::evaluateIfDue()
{
    const std::int64_t every = m_job.config.training.evalEvery;
    if (!m_evalBatches || every <= 0 || (m_position.step % every != 0 && m_position.step != m_job.steps))
        return std::nullopt;
    const std::int64_t windows = static_cast<std::int64_t>(m_run.evalData->windowCount());
    const std::int64_t passes = std::clamp<std::int64_t>(windows / m_job.samplesPerStep(), 1, kEvaluationPasses);
    double sum = 0;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        sum += orThrow(m_executor->evaluate(orThrow(m_evalBatches->evaluation(static_cast<std::uint64_t>(pass)))));
    return sum / static_cast<double>(passes);
}

// 0 while nobody asked to stop. The first rank decides, so that all ranks leave after the same step.
int RankLoop::stopStatus()
{
    int status = 0;
    if (first()) {
        if (const std::optional<StopReason> reason = m_run.stopWatch.asked()) {
            status = reason->exitStatus;
            record().say("stopping after step " + std::to_string(m_position.step) + ": " + reason->text);
            orThrow(record().event("stopping", reason->text, m_position.step));
        }
    }
    broadcastValue(m_communicator, status);
    return status;
}

int RankLoop::run()
{
    restore();
    const TrainingChoice &training = m_job.config.training;
    while (m_position.step < m_job.steps) {
        StepMetrics metrics = step();
        metrics.evalLoss = evaluateIfDue();
        const bool finite = std::isfinite(metrics.loss) && std::isfinite(metrics.gradNorm);
        if (first())
            orThrow(record().step(std::move(metrics)));
        if (!finite && m_run.options.stopOnNan) {
            if (first())
                orThrow(record().event("fault", "stopped: loss or gradients are not finite", m_position.step));
            return kExitNotFinite;
        }
        const int status = m_position.step < m_job.steps ? stopStatus() : 0;
        const bool due = training.checkpointEvery > 0 && m_position.step % training.checkpointEvery == 0;
        if (first() && (due || status != 0 || m_position.step == m_job.steps))
            orThrow(record().checkpoint(m_position, *m_executor));
        if (status != 0)
            return status;
    }
    if (first())
        orThrow(record().event("finished", "step " + std::to_string(m_position.step), m_position.step));
    return 0;
}

Result<TokenSource> openSource(const std::vector<DataSource> &sources, const RunJob &job)
{
    std::vector<WeightedFile> files;
    for (const DataSource &source : sources)
        files.push_back({.path = source.path, .weight = source.weight});
    return TokenSource::open(files, job.model.vocab, job.config.seqLen, job.config.training.seed);
}

Error outOfMemory(const std::string &what, const RunJob &job)
{
    return {.what = "out of memory: " + what, .where = job.paths.directory.string(), .accepted = "a smaller micro_batch or seq_len", .fault = Fault::Outside};
}

// LibTorch reports a failed allocation as an error like any other; its text is the only sign.
bool isOutOfMemory(std::string_view message)
{
    return message.find("can't allocate memory") != std::string_view::npos || message.find("out of memory") != std::string_view::npos;
}

Result<int> runRanks(const SharedRun &run)
{
    int status = 0;
    try {
        ThreadGroup group(run.job.ranks());
        group.run([&](Communicator &communicator) {
            const int ended = RankLoop(run, communicator).run();
            if (communicator.rank() == 0)
                status = ended;
        });
        return status;
    } catch (const RankFailure &failure) {
        return failure.error;
    } catch (const PeerFailed &failure) {
        return Error{.what = failure.what(), .where = "a peer", .fault = Fault::Peer};
    } catch (const std::bad_alloc &) {
        return outOfMemory("the system gave none", run.job);
    } catch (const std::exception &failure) {
        if (isOutOfMemory(failure.what()))
            return outOfMemory(failure.what(), run.job);
        throw;
    }
}

// What the run will be measured against.
Result<void> keepPrediction(const RunJob &job)
{
    std::error_code ignored;
    if (!job.prediction || std::filesystem::exists(job.paths.prediction(), ignored))
        return {};
    return writeFileAtomically(job.paths.prediction(), toJson(*job.prediction).dump(2) + "\n");
}

// With the directory locked and marked.
Result<int> trainHere(const RunJob &job, const RunOptions &options)
{
    Result<Journal> journal = Journal::open(job.paths);
    if (!journal)
        return journal.error();
    RunRecord record(job, options, std::move(*journal));
    const auto failed = [&record](const Error &error) {
        // The disk may be what failed: then the message on stderr is all there is.
        [[maybe_unused]] const Result<void> told = record.event("fault", error.message(), record.newestStep());
        return error;
    };
    if (Result<void> kept = keepPrediction(job); !kept)
        return failed(kept.error());
    const Result<TokenSource> data = openSource(job.config.training.data, job);
    if (!data)
        return failed(data.error());
    std::optional<TokenSource> evalData;
    if (!job.config.training.evalData.empty()) {
        Result<TokenSource> opened = openSource(job.config.training.evalData, job);
        if (!opened)
            return failed(opened.error());
        evalData.emplace(std::move(*opened));
    }
    const StopWatch stopWatch(job.paths, job.config.training.timeLimit);
    const SharedRun run{.job = job, .options = options, .data = *data, .evalData = evalData ? &*evalData : nullptr, .stopWatch = stopWatch, .record = record};
    const Result<int> status = runRanks(run);
    return status ? status : Result<int>(failed(status.error()));
}

} // namespace

int exitStatusOf(Fault fault)
{
    switch (fault) {
    case Fault::Input:
        return 2;
    case Fault::Outside:
        return 3;
    case Fault::Peer:
        return 4;
    case Fault::Damaged:
        return 5;
    }
    return 1;
}

Result<int> train(const RunJob &job, const RunOptions &options)
{
    const Result<RunLock> lock = RunLock::take(job.paths.directory);
    if (!lock)
        return lock.error();
    if (!options.resume && hasSteps(job.paths))
        return Error{.what = "holds the steps of an earlier start", .where = job.paths.directory.string(), .accepted = "--resume, or a new directory"};
    const RunMark mark = RunMark::leave(job.paths);
    Result<int> status = trainHere(job, options);
    mark.ended(status ? *status : exitStatusOf(status.error().fault));
    return status;
}

} // namespace slipway
