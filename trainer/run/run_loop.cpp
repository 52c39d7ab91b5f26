// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_loop.h"

#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "comm/thread_group.h"
#include "predict/predict.h"
#include "run/rank_loop.h"
#include "run/run_lock.h"
#include "run/run_mark.h"
#include "run/run_record.h"
#include "run/stop_watch.h"

namespace slipway {

namespace {

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

// What ends a rank, in a user's words.
template<typename Work>
Result<int> caught(const RunJob &job, const Work &work)
{
    try {
        return work();
    } catch (const RankFailure &failure) {
        return failure.error;
    } catch (const PeerFailed &failure) {
        return Error{.what = failure.what(), .where = "a peer", .fault = Fault::Peer};
    } catch (const std::bad_alloc &) {
        return outOfMemory("the system gave none", job);
    } catch (const std::exception &failure) {
        if (isOutOfMemory(failure.what()))
            return outOfMemory(failure.what(), job);
        throw;
    }
}

// Ranks as threads: the first of them keeps the record.
Result<int> runRanks(const RankRun &first)
{
    return caught(first.job, [&first] {
        int status = 0;
        ThreadGroup group(first.job.ranks());
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
    const RankRun run{.job = job, .options = options, .data = *data, .evalData = evalData ? &*evalData : nullptr, .stopWatch = stopWatch, .record = &record};
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
