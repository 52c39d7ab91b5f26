// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on a machine that may be preempted. Its checkpoints are copied here while it runs. If the machine is lost, the
// run continues on another host from the latest complete checkpoint. moves.json in the local run directory stores this;
// it is never sent to a host.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/host.h"
#include "runs/run_directory.h"

namespace slipway {

struct RunMove {
    std::string time;            // ISO 8601
    std::string from, directory; // the host that was left, and the run directory there
    std::string to;              // the host that continues the run
    std::string why;             // "lost: its machine was restarted while it ran"
    bool operator==(const RunMove &) const = default;
};

struct RunMoves {
    bool keepCheckpoints = false;    // copy them here in the background
    std::string checkpointsIn;       // checkpoint folder of another training script, relative to workdir
    std::vector<std::string> thenOn; // hosts that may continue the run, in order of preference
    std::vector<RunMove> moves;      // moves that have been made
    [[nodiscard]] bool any() const { return keepCheckpoints || !thenOn.empty(); }
    bool operator==(const RunMoves &) const = default;
};

std::filesystem::path runMovesFile(const RunPaths &paths);
// Default values if there is no such file.
Result<RunMoves> readRunMoves(const RunPaths &paths);
Result<void> writeRunMoves(const RunPaths &paths, const RunMoves &moves);

// Checks that the hosts support such a run. An error if another training script has no checkpoint folder set.
Result<void> checkRunMoves(const RunMoves &moves, const std::string &host, const RunConfig &config);

// Why the run's host counts as gone: the run was preempted or lost, or its host has not answered for kHostTimeout.
// Empty: it does not count as gone.
inline constexpr std::chrono::minutes kHostTimeout{10};
std::optional<std::string> hostLostReason(const RunPaths &paths, std::chrono::system_clock::time_point now);

// Copies the latest checkpoint of the run, if the local one is older. Returns whether it copied one.
Result<bool> keepCheckpoint(const RunPaths &paths, const RunMoves &moves, Host &host);

// Keeps checkpoints of such runs and moves them to other hosts. Used by one thread at a time.
class RunKeeper {
public:
    explicit RunKeeper(std::chrono::steady_clock::duration every = std::chrono::seconds(30)) : m_every(every) {}

    struct Outcome {
        std::string movedTo; // the host that runs it now; empty: it has not moved
        bool waits = false;  // the host is lost, and no other host could start the run yet; this is tried again
        std::string problem; // why the run could not be moved, or why no checkpoint was copied
    };
    // Called after each refresh of the run. Copies checkpoints in a background thread, but waits for a move.
    Outcome update(const std::filesystem::path &directory);
    // Waits for the background copies. Returns what went wrong.
    std::string finish();

private:
    struct Kept {
        std::future<Result<bool>> copy;
        std::chrono::steady_clock::time_point nextCopy, nextMove;
        std::string problem;
    };
    void keep(const std::filesystem::path &directory, const RunMoves &moves, Kept &kept) const;
    static Outcome move(const RunPaths &paths, RunMoves moves, const std::string &why);

    std::chrono::steady_clock::duration m_every;
    std::map<std::filesystem::path, Kept> m_runs;
};

} // namespace slipway
