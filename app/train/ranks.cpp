// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ranks.h"

#include <cstdlib>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "comm/nccl_group.h"
#include "comm/thread_group.h"
#include "command.h"
#include "exec/backend.h"
#include "base/user_folders.h"
#include "run/launch_env.h"
#include "run/launcher.h"
#include "run/rank_loop.h"

namespace slipway::train_app {

namespace {

Result<LaunchEnvironment> environment()
{
    return launchEnvironment([](const char *name) { return std::getenv(name); });
}

template<typename Work>
Result<void> caught(const Work &work)
{
    try {
        return work();
    } catch (const RankFailure &failure) {
        return failure.error;
    } catch (const PeerFailed &failure) {
        return Error{.what = failure.what(), .where = "a peer", .fault = Fault::Peer};
    } catch (const OutOfMemory &failure) {
        return Error{.what = failure.what(),
            .accepted = "a smaller --micro-batch or --seq-len, or --recompute full",
            .fault = Fault::Outside};
    } catch (const std::bad_alloc &) {
        return Error{.what = "out of memory: the system has none left",
            .accepted = "a smaller --micro-batch or --seq-len",
            .fault = Fault::Outside};
    } catch (const std::exception &failure) {
        const std::string_view text = failure.what();
        if (!isOutOfMemoryMessage(text))
            throw;
        return Error{.what = std::string(kOutOfMemory) + std::string(text.substr(0, text.find('\n'))),
            .accepted = "a smaller --micro-batch or --seq-len, or --recompute full",
            .fault = Fault::Outside};
    }
}

[[noreturn]] void endHanging(const std::string &cause)
{
    ::_exit(report({.what = cause, .where = "a peer", .fault = Fault::Peer}));
}

} // namespace

Result<std::optional<int>> Ranks::around()
{
    const Result<LaunchEnvironment> found = environment();
    if (!found)
        return found.error();
    return found->severalProcesses() ? std::optional(found->rendezvous.worldSize) : std::nullopt;
}

Result<Ranks> Ranks::meet(int count, bool onGpus)
{
    const Result<LaunchEnvironment> found = environment();
    if (!found)
        return found.error();
    if (!found->severalProcesses())
        return Ranks(count, nullptr, {});
    Rendezvous rendezvous = withTimeouts(found->rendezvous, {}, onGpus);
    rendezvous.secretFolder = userDataPath("rendezvous");
    if (rendezvous.worldSize != count)
        return Error{.what = "is " + std::to_string(count) + ", but " + std::to_string(rendezvous.worldSize) +
                             " ranks were started",
            .where = "--gpus",
            .accepted = std::to_string(rendezvous.worldSize)};
    Result<std::unique_ptr<Communicator>> joined = joinGloo(rendezvous);
    if (!joined)
        return joined.error();
    if (onGpus && ncclMissing().empty()) {
        if (Result<std::unique_ptr<Communicator>> devices = withNccl(*joined, rendezvous))
            joined = std::move(devices);
        else if (!*joined)
            return devices.error();
    }
    return Ranks(count, std::move(*joined), rendezvous);
}

Result<void> Ranks::run(const std::function<Result<void>(Communicator &)> &work) const
{
    return caught([&]() -> Result<void> {
        if (m_joined)
            return work(*m_joined);
        ThreadGroup(m_count, ThreadGroup::Hanging{.timeout = deadline::kPeer, .end = endHanging})
            .run([&work](Communicator &communicator) {
                if (const Result<void> done = work(communicator); !done)
                    throw RankFailure(done.error());
            });
        return {};
    });
}

Result<void> Ranks::joinDevices()
{
    return caught([this]() -> Result<void> {
        Result<std::unique_ptr<Communicator>> devices = withNccl(m_joined, m_rendezvous);
        if (!devices)
            return devices.error();
        m_joined = std::move(*devices);
        m_joined->finishStartup();
        return {};
    });
}

Result<void> Ranks::part(Result<void> done) const
{
    if (!m_joined)
        return done;
    if (done)
        return caught([this]() -> Result<void> {
            m_joined->barrier(); // the first rank keeps the rendezvous open until all ranks are done
            return {};
        });
    if (done.error().fault != Fault::Peer)
        m_joined->reportFailure(
            m_joined->nameOf(m_joined->rank()) + " failed: " + done.error().message(), deadline::kReading);
    return done;
}

int runAsProcesses(int ranks)
{
    const Result<std::string> line = readFile("/proc/self/cmdline");
    if (!line)
        return report(line.error());
    std::vector<std::string> command;
    for (const std::string_view word : split(std::string_view(*line).substr(0, line->size() - 1), '\0'))
        command.emplace_back(word);
    const Result<int> status =
        launchRanks({.paths = {}, .command = std::move(command), .ranks = ranks, .warn = complain});
    return status ? *status : report(status.error());
}

} // namespace slipway::train_app
