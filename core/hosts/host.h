// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where runs run: this machine, another one over ssh, a Slurm cluster. A host starts a command in a run directory so
// that it outlives whoever started it, and stops it. What the run does meanwhile is read from its directory, never from
// the exit status of a connection. `directory` and `paths` are always the directory here: the run's own, or the copy of
// a run elsewhere, which refresh() brings up to date. Every call but name, pace and trainerCommand may take as long as
// the network does: not for a window's thread. One thread at a time for one Host.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"
#include "hosts/host_facts.h"
#include "runs/liveness.h"

namespace slipway {

struct StartRequest {
    std::filesystem::path directory;  // exists and holds run.yaml
    std::vector<std::string> command; // argv; never passes through a shell unquoted
    int attempt = 0;                  // the token: one attempt is started once, however often it is asked for
    std::vector<std::string> restartCommand = {}; // of a job that Slurm starts again; empty: the command with --resume
    std::string stopSignal = "TERM";              // what Slurm's batch script sends when the job is to end
};

struct Started {
    std::int64_t processGroup = 0; // 0: a job that has not begun
    bool already = false;          // an earlier call had started this attempt; nothing was started now
    std::string job = {};          // of Slurm
};

// One thing that was looked at before a launch.
struct PreflightCheck {
    std::string what; // "trainer", "data", "disk"
    bool passed = false;
    std::string detail;         // what was found, or what is missing and how to get it
    Fault fault = Fault::Input; // of a failure: the user's to mend, or the machine's
    bool warning = false;       // passed, but a person should look: somebody else computes on the GPU
    bool prediction = false;    // a failure that is only predicted: a person may decide otherwise
};

// What holds a launch back.
enum class Strictness { All, NotPredictions };

struct Preflight {
    std::vector<PreflightCheck> checks;
    std::optional<HostFacts> facts; // empty: the host could not be asked
    [[nodiscard]] bool passed(Strictness strictness = Strictness::All) const;
    [[nodiscard]] std::string failures() const; // one line each
    [[nodiscard]] Fault fault() const;          // of the first failure
};

// A run that is about to start.
struct PlannedRun {
    RunConfig config;
    std::filesystem::path directory;
    std::optional<Seconds> predicted; // how long it will take
};

// One thing that a launch does on the host.
struct PlannedCommand {
    std::string what;       // "make the directory", "copy the data"
    std::string command;    // as a person would type it: for the confirm sheet
    std::string exact = {}; // with every option and script, as it is run: for --dry-run; empty: as `command`
    [[nodiscard]] const std::string &asRun() const { return exact.empty() ? command : exact; }
};

enum class Fetch { Reports, Checkpoints }; // Reports: every small file; Checkpoints: those too, the latest one

class Host {
public:
    virtual ~Host() = default;

    // As makeHost takes it.
    [[nodiscard]] virtual std::string name() const = 0;
    // How long to leave it in peace between two refreshes.
    [[nodiscard]] virtual std::chrono::milliseconds pace() const = 0;
    // What it is and has, asked now.
    virtual Result<HostFacts> facts() = 0;
    // What a launch into `directory` (which may not exist yet) would miss. `diskNeeded`: for its checkpoints, 0 if not
    // known.
    virtual Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) = 0;
    // The trainer's argv for a run directory on this host. `resume`: it goes on from the last checkpoint, if there is
    // one.
    [[nodiscard]] virtual std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const = 0;
    // What prepare and start, or startAll, would do for these runs, in order; asks nobody and changes nothing.
    [[nodiscard]] virtual std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const = 0;
    // Brings what the runs need to the host: their directories, run.yaml, data, trainer. Once more is no error. As many
    // questions for many runs as for one.
    virtual Result<void> prepare(const std::vector<PlannedRun> &runs) = 0;
    // A reply that was lost is asked for again: an attempt starts once.
    virtual Result<Started> start(const StartRequest &request) = 0;
    [[nodiscard]] virtual bool startsMany() const { return false; }
    // Several runs at once, where a scheduler spreads them: one job array on Slurm. Others refuse more than one.
    virtual Result<std::vector<Started>> startAll(const std::vector<StartRequest> &requests);
    // Brings the copy here up to date: new bytes of its files, and its standing. A host that does not answer is no
    // error but a standing (unknown); an error is a copy that cannot be written.
    virtual Result<void> refresh(const RunPaths &paths) = 0;
    // The same for many runs of this host, with few questions. A run that somebody else refreshes meanwhile is left to
    // them.
    virtual std::vector<Error> refreshAll(const std::vector<std::filesystem::path> &directories);
    // The run's standing now: refreshes first.
    [[nodiscard]] virtual RunStanding standing(const RunPaths &paths) = 0;
    // Asks for a checkpoint and a clean end (stop.request).
    virtual Result<void> requestStop(const RunPaths &paths) = 0;
    // SIGTERM or SIGKILL to the whole process group, only if it is still the one that was started.
    virtual Result<void> signalGroup(const RunPaths &paths, int signalNumber) = 0;
    // Brings checkpoints or small files that refresh does not follow to the copy here.
    virtual Result<void> fetch(const RunPaths &paths, Fetch what) = 0;
    // Bytes that fetch would bring, so that they can be shown first.
    virtual Result<Bytes> fetchBytes(const RunPaths &paths, Fetch what) = 0;
    // Of another training script: what is whole and new in its folder of checkpoints comes to keptScriptCheckpoints.
    // True: something came.
    virtual Result<bool> fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder);
    // Of a run that another host has left: its files so far and its newest checkpoint go to the directory that prepare
    // has made. `folder`: where another training script looks for its checkpoints, from the configuration's workdir.
    virtual Result<void> bring(const RunPaths &paths, const RunConfig &config, const std::string &folder);
};

// "local"; an alias of the user's ssh configuration, "node7" or "ada@node7"; "slurm:" or "slurm:local" for the cluster
// that this machine submits to; "slurm:ALIAS"; "node1,node2" for one run on several machines; "log:ALIAS" for a log
// that somebody else writes. After a remote one ":/FOLDER" names where its runs and data go, if not
// ~/.local/share/slipway. Asks nobody. `options`: of sbatch, "--partition=gpu".
Result<std::unique_ptr<Host>> makeHost(const std::string &name, const std::vector<std::string> &options = {});
// Copies of what another training script has written as checkpoints.
std::filesystem::path keptScriptCheckpoints(const RunPaths &paths);

// The host that a run was launched on.
Result<std::unique_ptr<Host>> hostOfRun(const std::filesystem::path &directory);

} // namespace slipway
