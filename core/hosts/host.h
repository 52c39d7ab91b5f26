// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A machine or cluster that executes runs: this machine, another one over ssh, or a Slurm cluster. A host starts and
// stops a command in a run directory; the command outlives the process that started it. The state of a run follows from
// its directory, never from the exit status of a connection. `directory` and `paths` are always local: the run's own
// directory, or the copy of a remote one, which refresh() updates. All calls except name, refreshInterval and
// trainerCommand may wait for the network, so they do not belong in the window's thread. A Host is used by one thread
// at a time.
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
    std::filesystem::path directory;              // exists and holds run.yaml
    std::vector<std::string> command;             // argv; never passes through a shell unquoted
    int attempt = 0;                              // an attempt is started once, even if start() is called again
    std::vector<std::string> restartCommand = {}; // for a job that Slurm requeues; empty: the command with --resume
    std::string stopSignal = "TERM";              // signal with which Slurm's batch script stops the job
};

struct Started {
    std::int64_t processGroup = 0; // 0: a job that has not begun
    bool already = false;          // an earlier call started this attempt
    std::string job = {};          // Slurm's job id
};

// The result of one check before a launch.
struct PreflightCheck {
    std::string what; // "trainer", "data", "disk"
    bool passed = false;
    std::string detail;         // what was found, or what is missing and how to get it
    Fault fault = Fault::Input; // cause of a failed check: the input, or the machine
    bool warning = false;       // passed, but the user should know: for example, another process uses the GPU
    bool prediction = false;    // a predicted failure, which the user may ignore
};

// Which failed checks prevent a launch.
enum class PreflightPolicy { All, IgnorePredictions };

struct Preflight {
    std::vector<PreflightCheck> checks;
    std::optional<HostFacts> facts; // empty: the host did not answer
    [[nodiscard]] bool passed(PreflightPolicy policy = PreflightPolicy::All) const;
    [[nodiscard]] std::string failures() const; // one line each
    [[nodiscard]] Fault fault() const;          // fault of the first failed check
};

// A run that is about to start.
struct PlannedRun {
    RunConfig config;
    std::filesystem::path directory;
    std::optional<Seconds> predicted; // duration of the run
};

// One action of a launch on the host.
struct PlannedCommand {
    std::string what;       // "make the directory", "copy the data"
    std::string command;    // in short, as a user would type it: for the confirm sheet
    std::string exact = {}; // with all options and scripts, for --dry-run; empty: the same as `command`
    [[nodiscard]] const std::string &asRun() const { return exact.empty() ? command : exact; }
};

enum class FetchScope { SmallFiles, WithCheckpoint }; // WithCheckpoint: also the latest checkpoint

class Host {
public:
    virtual ~Host() = default;

    // The name as in makeHost.
    [[nodiscard]] virtual std::string name() const = 0;
    // The shortest time between two refreshes.
    [[nodiscard]] virtual std::chrono::milliseconds refreshInterval() const = 0;
    // Hardware and software of the host, queried now.
    virtual Result<HostFacts> facts() = 0;
    // Checks a launch into `directory`, which may not exist yet. `diskNeeded`: for checkpoints; 0: unknown.
    virtual Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) = 0;
    // The trainer's argv for a run directory on this host. `resume`: continues from the last checkpoint, if there is
    // one.
    [[nodiscard]] virtual std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const = 0;
    // The actions of prepare and start, or startAll, for these runs, in order. Contacts no host and changes nothing.
    [[nodiscard]] virtual std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const = 0;
    // Copies what the runs need to the host: directories, run.yaml, data and trainer. May be repeated. The number of
    // connections does not depend on the number of runs.
    virtual Result<void> prepare(const std::vector<PlannedRun> &runs) = 0;
    // Starts an attempt. May be repeated after a lost reply, because an attempt starts only once.
    virtual Result<Started> start(const StartRequest &request) = 0;
    [[nodiscard]] virtual bool supportsStartAll() const { return false; }
    // Starts several runs as one job array on Slurm. On other hosts, more than one run is an error.
    virtual Result<std::vector<Started>> startAll(const std::vector<StartRequest> &requests);
    // Updates the local copy: new bytes of the files, and the run's state. If the host does not answer, the state is
    // unknown. An error means that the copy cannot be written.
    virtual Result<void> refresh(const RunPaths &paths) = 0;
    // The same for many runs of this host, with few connections. Runs that another process refreshes now are skipped.
    virtual std::vector<Error> refreshAll(const std::vector<std::filesystem::path> &directories);
    // Refreshes, and returns the run's state.
    [[nodiscard]] virtual RunStatus status(const RunPaths &paths) = 0;
    // Requests a checkpoint and a clean end (stop.request).
    virtual Result<void> requestStop(const RunPaths &paths) = 0;
    // Sends SIGTERM or SIGKILL to the whole process group, if it is still the one that was started.
    virtual Result<void> signalGroup(const RunPaths &paths, int signalNumber) = 0;
    // Copies checkpoints, or small files that refresh does not update, to the local copy.
    virtual Result<void> fetch(const RunPaths &paths, FetchScope what) = 0;
    // The bytes that fetch would copy, to show them first.
    virtual Result<Bytes> fetchBytes(const RunPaths &paths, FetchScope what) = 0;
    // For another training script: copies complete, new checkpoints from its folder to keptScriptCheckpoints(). Returns
    // whether there were any.
    virtual Result<bool> fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder);
    // For a run that moves to this host from another one: copies its files and its latest checkpoint to the directory
    // that prepare() made. `folder`: checkpoint folder of another training script, relative to the configuration's
    // workdir.
    virtual Result<void> uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder);
};

// "local"; an alias of the user's ssh configuration, "node7" or "ada@node7"; "slurm:" or "slurm:local" for the cluster
// that this machine submits to; "slurm:ALIAS"; "node1,node2" for one run on several machines; "log:ALIAS" for the log
// of a training that Slipway did not start. ":/FOLDER" after a remote name: its folder for runs and data, otherwise
// ~/.local/share/slipway. Contacts no host. `options`: for sbatch, "--partition=gpu".
Result<std::unique_ptr<Host>> makeHost(const std::string &name, const std::vector<std::string> &options = {});
// The folder for copies of the checkpoints of another training script.
std::filesystem::path keptScriptCheckpoints(const RunPaths &paths);

// The host that a run was launched on.
Result<std::unique_ptr<Host>> hostOfRun(const std::filesystem::path &directory);

} // namespace slipway
