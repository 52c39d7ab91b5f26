// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_loop.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "comm/nccl_group.h"
#include "comm/thread_group.h"
#include "data/tokenizer.h"
#include "exec/backend.h"
#include "predict/predict.h"
#include "run/budget.h"
#include "run/rank_loop.h"
#include "run/run_lock.h"
#include "run/launch_files.h"
#include "run/run_record.h"
#include "run/stop_monitor.h"

namespace slipway {

namespace {

Result<TokenSource> openSource(const std::vector<DataSource> &sources, const RunJob &job)
{
    std::vector<WeightedFile> files;
    for (const DataSource &source : sources)
        files.push_back({.path = source.path, .weight = source.weight});
    return TokenSource::open(files, job.model.vocab, job.config.seqLen, job.config.training.seed);
}

std::string predictedPeak(const RunJob &job)
{
    return job.prediction ? "; predicted were " + formatBytes(job.prediction->memory.peakReserved) : "";
}

Error outOfMemory(const std::string &what, const RunJob &job)
{
    return {.what = std::string(kOutOfMemory) + what + predictedPeak(job),
        .where = job.paths.directory.string(),
        .accepted = "a smaller micro_batch or seq_len",
        .fault = Fault::Outside};
}

// Adds the predicted memory, because the executor only knows how much it requested.
Error withPrediction(Error error, const RunJob &job)
{
    if (isOutOfMemory(error))
        error.what += predictedPeak(job);
    return error;
}

// Runs `work` and converts its exceptions to errors for users.
template<typename Work>
Result<int> caught(const RunJob &job, const Work &work)
{
    try {
        return work();
    } catch (const RankFailure &failure) {
        return withPrediction(failure.error, job);
    } catch (const PeerFailed &failure) {
        return Error{.what = failure.what(), .where = "a peer", .fault = Fault::Peer};
    } catch (const OutOfMemory &failure) {
        return withPrediction({.what = failure.what(),
                                  .where = job.paths.directory.string(),
                                  .accepted = "a smaller micro_batch or seq_len",
                                  .fault = Fault::Outside},
            job);
    } catch (const std::bad_alloc &) {
        return outOfMemory("the system has none left", job);
    } catch (const std::exception &failure) {
        if (const std::string_view text = failure.what(); isOutOfMemoryMessage(text))
            return outOfMemory(std::string(text.substr(0, text.find('\n'))), job);
        throw;
    }
}

// A rank that hangs, or waits for one that does, cannot end by itself. Its files are complete, or absent, at any time.
[[noreturn]] void endHanging(
    const RunJob &job, const RunOptions &options, bool first, const JournalEnd &began, const std::string &cause)
{
    const Error error{.what = cause, .where = "a peer", .fault = Fault::Peer};
    std::thread([status = exitStatusOf(error.fault)] {
        std::this_thread::sleep_for(std::chrono::duration<double>(deadline::kToEnd));
        ::_exit(status); // writing to the disk may be what hangs
    }).detach();
    if (options.onFatalError)
        options.onFatalError(error);
    if (first) {
        if (Result<Journal> journal = Journal::openAfter(job.paths, began)) [[maybe_unused]]
            const Result<void> recorded = journal->event("fault", error.message());
        LaunchFiles::existing(job.paths).writeExitStatus(exitStatusOf(error.fault));
    }
    ::_exit(exitStatusOf(error.fault));
}

// Runs ranks as threads; the first one writes the record.
Result<int> runRanks(const RankRun &first)
{
    return caught(first.job, [&first, began = JournalEnd::of(first.job.paths)] {
        int status = 0;
        ThreadGroup group(first.job.ranks(),
            ThreadGroup::Hanging{.timeout = first.options.peerTimeout,
                .silence = first.options.stallTimeout,
                .end = [&](const std::string &cause) { endHanging(first.job, first.options, true, began, cause); }});
        group.run([&](Communicator &communicator) {
            RankRun run = first;
            run.record = communicator.rank() == 0 ? first.record : nullptr;
            const int ended = runRank(run, communicator);
            if (communicator.rank() == 0)
                status = ended;
        });
        return status;
    });
}

// Stores the prediction with which the run is compared later.
Result<void> keepPrediction(const RunJob &job)
{
    std::error_code ignored;
    if (!job.prediction || std::filesystem::exists(job.paths.prediction(), ignored))
        return {};
    return writePrivateFile(job.paths.prediction(),
        toJson(*job.prediction).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

// The data that all ranks read.
struct OpenedData {
    TokenSource training;
    std::vector<EvaluationSet> evaluations;
    std::optional<DocumentMarks> documents;
};

// With the ids of another tokenizer, training would not fail, but the model would be useless.
Result<void> checkTokenizer(const Tokenizer &tokenizer, const RunJob &job, const TokenSource &source)
{
    const std::string &path = job.config.training.tokenizer;
    if (tokenizer.vocabSize() > job.model.vocab)
        return Error{.what = "has " + std::to_string(tokenizer.vocabSize()) +
                             " tokens, but the model's vocabulary size is " + std::to_string(job.model.vocab),
            .where = path,
            .accepted =
                "the tokenizer of the run's data, or vocab: " + std::to_string(tokenizer.vocabSize()) + " or more"};
    for (const TokenFile &file : source.files()) {
        if (file.extent().tokenizer != 0 && file.extent().tokenizer != tokenizer.checksum())
            return Error{.what = "was written with another tokenizer than " + path,
                .where = file.path().string(),
                .accepted = "the tokenizer.model that tokenize wrote next to it"};
    }
    return {};
}

// Loads the tokenizer, if the run names one, to check the data and to separate documents.
Result<void> readTokenizer(const RunJob &job, OpenedData &data)
{
    const bool apart = job.config.training.documents == Documents::Separate;
    if (job.config.training.tokenizer.empty()) {
        if (!apart)
            return {};
        return Error{.what = "documents: apart needs the tokenizer, whose special tokens mark the end of documents",
            .where = job.paths.config().string(),
            .accepted = "tokenizer: the tokenizer.model of the data, or documents: packed"};
    }
    const Result<Tokenizer> tokenizer = Tokenizer::load(job.config.training.tokenizer);
    if (!tokenizer)
        return tokenizer.error();
    std::vector<const TokenSource *> sources{&data.training};
    for (const EvaluationSet &set : data.evaluations)
        sources.push_back(&set.data);
    for (const TokenSource *source : sources) {
        if (Result<void> fits = checkTokenizer(*tokenizer, job, *source); !fits)
            return fits;
    }
    if (apart && tokenizer->bos() < 0 && tokenizer->eos() < 0)
        return Error{.what = "has no tokens that begin or end documents",
            .where = job.config.training.tokenizer,
            .accepted = "a model with <s> or </s>, or documents: packed"};
    if (apart)
        data.documents = DocumentMarks{.begin = tokenizer->bos(), .end = tokenizer->eos()};
    return {};
}

// Groups the files by name, in the order of each name's first file.
std::vector<std::pair<std::string, std::vector<DataSource>>> evaluationSets(const TrainingChoice &training)
{
    std::vector<std::pair<std::string, std::vector<DataSource>>> sets;
    for (const DataSource &source : training.evalData) {
        auto set = std::find_if(sets.begin(), sets.end(), [&](const auto &s) { return s.first == source.name; });
        if (set == sets.end())
            set = sets.insert(set, {source.name, {}});
        set->second.push_back(source);
    }
    return sets;
}

Result<OpenedData> openData(const RunJob &job)
{
    Result<TokenSource> training = openSource(job.config.training.data, job);
    if (!training)
        return training.error();
    OpenedData data{.training = std::move(*training)};
    for (auto &[name, files] : evaluationSets(job.config.training)) {
        Result<TokenSource> evaluation = openSource(files, job);
        if (!evaluation)
            return evaluation.error();
        data.evaluations.push_back({name, std::move(*evaluation)});
    }
    if (const Result<void> tokenizer = readTokenizer(job, data); !tokenizer)
        return tokenizer.error();
    return data;
}

using Ranks = std::function<Result<int>(const RankRun &)>;

// Opens the data and runs the ranks, with the record if this process writes it.
Result<int> runWith(const RunJob &job, const RunOptions &options, RunRecord *record, const Ranks &ranks)
{
    const Result<OpenedData> data = openData(job);
    if (!data)
        return data.error();
    const Result<std::optional<Seconds>> budget = secondsOfBudget(job.paths, job.config);
    if (!budget)
        return budget.error();
    StopMonitor stopMonitor(job.paths, job.config.training.timeLimit);
    if (*budget)
        stopMonitor.limit(**budget, "the budget of " + formatUsd(*job.config.training.stopAtUsd));
    return ranks({.job = job,
        .options = options,
        .data = data->training,
        .evaluations = data->evaluations,
        .documents = data->documents,
        .stopMonitor = stopMonitor,
        .record = record});
}

// GPUs use NCCL if each rank has one. Otherwise they communicate through the host, unless NCCL was requested
// explicitly.
Result<void> joinOnDevices(const RunJob &job, const RunOptions &options, const Rendezvous &rendezvous,
    std::unique_ptr<Communicator> &communicator)
{
    const CommunicatorKind asked = job.config.training.communicator;
    if (job.backend != BackendKind::Cuda || (asked != CommunicatorKind::Auto && asked != CommunicatorKind::Nccl))
        return {};
    Result<std::unique_ptr<Communicator>> joined = withNccl(communicator, rendezvous);
    if (joined) {
        communicator = std::move(*joined);
        return {};
    }
    if (asked == CommunicatorKind::Nccl || !communicator)
        return joined.error();
    if (rendezvous.rank == 0)
        options.warn("ranks exchange data through the host, which is slow: " + joined.error().message());
    return {};
}

// Called when the directory is locked and marked.
Result<int> trainRecorded(const RunJob &job, const RunOptions &options, const Ranks &ranks)
{
    Result<Journal> journal = Journal::open(job.paths);
    if (!journal)
        return journal.error();
    RunRecord record(job, options, std::move(*journal));
    const Result<void> kept = keepPrediction(job);
    const Result<int> status = kept ? runWith(job, options, &record, ranks) : Result<int>(kept.error());
    if (!status) {
        // If writing failed because of the disk, only the message on stderr remains.
        [[maybe_unused]] const Result<void> recorded =
            record.event("fault", status.error().message(), record.newestStep());
    }
    return status;
}

// Locks the run directory for this process, and writes the files that mark it as running.
Result<int> trainOwning(const RunJob &job, const RunOptions &options, const Ranks &ranks)
{
    const Result<RunLock> lock = RunLock::acquire(job.paths.directory);
    if (!lock)
        return lock.error();
    if (!options.resume && hasSteps(job.paths))
        return Error{.what = "holds the steps of an earlier start",
            .where = job.paths.directory.string(),
            .accepted = "--resume, or a new directory"};
    const LaunchFiles files = LaunchFiles::create(job.paths);
    Result<int> status = trainRecorded(job, options, ranks);
    files.writeExitStatus(status ? *status : exitStatusOf(status.error().fault));
    return status;
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
    if (job.config.training.communicator == CommunicatorKind::Nccl && job.ranks() > 1)
        return Error{.what = "communicator: nccl needs one process per rank, but these ranks would be threads",
            .where = job.paths.config().string(),
            .accepted = "-n " + std::to_string(job.ranks()) + ", or communicator: threads or auto"};
    return trainOwning(job, options, runRanks);
}

Result<int> trainAsRank(const RunJob &job, const RunOptions &options, const Rendezvous &rendezvous)
{
    Result<std::unique_ptr<Communicator>> joined = joinGloo(rendezvous);
    if (!joined)
        return joined.error();
    (*joined)->startHeartbeats([&, began = JournalEnd::of(job.paths)](const std::string &cause) {
        endHanging(job, options, rendezvous.rank == 0, began, cause);
    });
    if (const Result<void> devices = joinOnDevices(job, options, rendezvous, *joined); !devices)
        return devices.error();
    Communicator &communicator = **joined;
    communicator.reportProgress("opening the run and its data");
    const Ranks ranks = [&](const RankRun &run) {
        return caught(job, [&] {
            const int status = runRank(run, communicator);
            communicator.barrier(); // the first rank keeps the rendezvous store until all ranks have finished
            return status;
        });
    };
    Result<int> status =
        rendezvous.rank == 0 ? trainOwning(job, options, ranks) : runWith(job, options, nullptr, ranks);
    if (!status && status.error().fault != Fault::Peer)
        communicator.reportFailure(
            communicator.nameOf(rendezvous.rank) + " failed: " + status.error().message(), deadline::kReading);
    else if (!status)
        communicator.reportFailure(status.error().what, deadline::kReadingAfterWait); // as reported by others, or seen
    return status;
}

} // namespace slipway
