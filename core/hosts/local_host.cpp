// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/local_host.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "hosts/child_process.h"
#include "hosts/host_probe.h"
#include "hosts/kept_folder.h"
#include "hosts/launch_script.h"
#include "hosts/preflight.h"
#include "hosts/script_command.h"
#include "hosts/script_plan.h"
#include "hosts/shell_quote.h"
#include "runs/registry.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kStartLimit{60};
const std::string kTrainer = "slipway-train";

bool isProgram(const fs::path &path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

PreflightCheck trainerCheck(const fs::path &trainer)
{
    if (trainer.empty())
        return {.what = "trainer",
            .detail = "slipway-train was found neither next to this program nor on PATH. Build it, or install the "
                      "trainer's package",
            .fault = Fault::Outside};
    if (!isProgram(trainer))
        return {.what = "trainer", .detail = trainer.string() + " is not an executable program"};
    return {.what = "trainer", .passed = true, .detail = trainer.string()};
}

PreflightCheck fileCheck(const std::string &what, const std::string &path)
{
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (failure)
        return {.what = what, .detail = path + " cannot be read: " + failure.message()};
    if (::access(path.c_str(), R_OK) != 0)
        return {.what = what, .detail = path + " cannot be read: " + systemMessage(errno)};
    if (size == 0)
        return {.what = what, .detail = path + " is empty"};
    return {
        .what = what, .passed = true, .detail = fmt::format("{} ({})", path, formatBytes(static_cast<Bytes>(size)))};
}

void dataChecks(const TrainingChoice &training, std::vector<PreflightCheck> &checks)
{
    if (training.data.empty())
        checks.push_back({.what = "data",
            .detail = "no token file is given. Set --data to a file that slipway-train tokenize wrote"});
    for (const DataSource &source : training.data)
        checks.push_back(fileCheck("data", source.path));
    for (const DataSource &source : training.evalData)
        checks.push_back(fileCheck("evaluation data", source.path));
    if (!training.tokenizer.empty())
        checks.push_back(fileCheck("tokenizer", training.tokenizer));
}

// Allocates the bytes for a moment, since only this reveals a quota. Returns an errno; 0 if the allocation succeeds, or
// if the file system is in memory.
int reserve(int fd, Bytes bytes)
{
    struct statfs kind{};
    constexpr long kMemory = 0x01021994; // tmpfs: a reservation would take memory
    if (bytes <= 0 || ::fstatfs(fd, &kind) != 0 || kind.f_type == kMemory)
        return 0;
    return ::fallocate(fd, 0, 0, bytes) == 0 ? 0 : errno;
}

PreflightCheck diskCheck(const fs::path &directory, Bytes needed)
{
    std::error_code ignored;
    fs::path place = fs::absolute(directory, ignored);
    while (!fs::exists(place, ignored) && place.has_relative_path())
        place = place.parent_path();
    if (!fs::is_directory(place, ignored))
        return {.what = "disk", .detail = place.string() + " is not a folder"};
    // Creates a file, because permission bits show neither quotas nor read-only mounts.
    std::string probe = (place / ".slipway-XXXXXX").string();
    const int fd = ::mkstemp(probe.data());
    if (fd < 0)
        return {.what = "disk",
            .detail = place.string() + " cannot be written: " + systemMessage(errno),
            .fault = Fault::Outside};
    const int refused = reserve(fd, needed);
    ::close(fd);
    ::unlink(probe.c_str());
    if (refused == EDQUOT)
        return {.what = "disk",
            .detail = fmt::format("{} cannot hold the {} of checkpoints: {}", place.string(), formatBytes(needed),
                systemMessage(refused)),
            .fault = Fault::Outside};
    struct statvfs disk{};
    if (::statvfs(place.c_str(), &disk) != 0)
        return {.what = "disk", .detail = place.string() + ": " + systemMessage(errno), .fault = Fault::Outside};
    const Bytes free = static_cast<Bytes>(disk.f_bavail) * static_cast<Bytes>(disk.f_frsize);
    if (free < needed)
        return {.what = "disk",
            .detail = fmt::format(
                "{} has {} free, and the checkpoints need {}", place.string(), formatBytes(free), formatBytes(needed)),
            .fault = Fault::Outside};
    return {.what = "disk",
        .passed = true,
        .detail = fmt::format("{} free, {} needed for checkpoints", formatBytes(free), formatBytes(needed))};
}

// Whether a signal to the group reaches only processes of this run. If the leader has ended, its children may still be
// in the group. The number of the group then cannot be given to another process.
bool groupIsOurs(const ProcessIdentity &identity, const LocalMachine &machine)
{
    struct stat leader{};
    const std::string process = machine.proc / std::to_string(identity.processGroup);
    if (::stat(process.c_str(), &leader) == 0 && leader.st_uid != ::geteuid())
        return false;
    if (livenessOf(identity, machine) == Liveness::Alive)
        return true;
    std::error_code ignored;
    return identity.bootId == machine.bootId && identity.hostName == machine.hostName && !machine.bootId.empty() &&
           !fs::exists(process, ignored);
}

} // namespace

fs::path siblingProgram(const std::string &name)
{
    std::error_code failure;
    const fs::path self = fs::read_symlink("/proc/self/exe", failure);
    if (!failure && isProgram(self.parent_path() / name))
        return self.parent_path() / name;
    const char *const path = std::getenv("PATH");
    for (const std::string_view folder : split(path ? path : "", ':')) {
        if (!folder.empty() && isProgram(fs::path(folder) / name))
            return fs::path(folder) / name;
    }
    return {};
}

LocalHost::LocalHost(fs::path trainer) : m_trainer(trainer.empty() ? siblingProgram(kTrainer) : std::move(trainer)) {}

void LocalHost::addGpuChecks(const RunConfig &config, Preflight &preflight)
{
    const Result<HostFacts> here = facts();
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!here || !catalogue)
        return;
    preflight.facts = *here;
    preflight.checks.push_back(gpuCheck(*here, config, *catalogue));
    preflight.checks.push_back(planCheck(*here, config, *catalogue));
}

Preflight LocalHost::preflight(const RunConfig &config, const fs::path &directory, Bytes diskNeeded)
{
    Preflight preflight;
    if (config.training.runsScript()) {
        LocalShell shell;
        preflight.checks.push_back(commandCheck(shell, config));
        preflight.checks.push_back(diskCheck(directory, 0));
        return preflight;
    }
    if (std::optional<PreflightCheck> simulated = frameworkCheck(config))
        preflight.checks.push_back(*std::move(simulated));
    preflight.checks.push_back(trainerCheck(m_trainer));
    dataChecks(config.training, preflight.checks);
    const bool driver = ::access("/dev/nvidiactl", F_OK) == 0;
    if (config.training.device == DeviceKind::Cuda && !driver)
        preflight.checks.push_back(
            {.what = "device", .detail = "device is cuda, and this machine has no NVIDIA driver"});
    if (config.training.device == DeviceKind::Auto && !driver && config.gpu != "cpu")
        preflight.checks.push_back({.what = "device",
            .passed = true,
            .detail =
                "the plan is for " + config.gpu + ", and this machine has no NVIDIA driver: it would train on the CPU",
            .warning = true});
    preflight.checks.push_back(diskCheck(directory, diskNeeded));
    if (driver)
        addGpuChecks(config, preflight);
    return preflight;
}

std::vector<std::string> LocalHost::trainerCommand(
    const RunConfig &config, const fs::path &directory, bool resume) const
{
    if (config.training.runsScript())
        return scriptCommand(config, readScriptRules({directory}).valueOr({}), resume);
    // A trainer that was not found keeps its name, so that the command can be read, and run once it is installed.
    std::vector<std::string> command{m_trainer.empty() ? kTrainer : m_trainer.string(), "run", directory.string()};
    if (config.parallel.gpus > 1)
        command.insert(command.end(), {"-n", std::to_string(config.parallel.gpus)});
    if (resume)
        command.emplace_back("--resume");
    return command;
}

Result<HostFacts> LocalHost::facts()
{
    LocalShell shell;
    const Result<HostProbeResult> answer = probeHost(shell, {.home = Registry::defaultFolder().parent_path().string(),
                                                                .place = {},
                                                                .files = {},
                                                                .trainer = m_trainer.string()});
    if (!answer)
        return answer.error();
    return answer->facts;
}

std::vector<PlannedCommand> LocalHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned;
    for (const PlannedRun &run : runs) {
        const StartRequest request{
            .directory = run.directory, .command = trainerCommand(run.config, run.directory, false)};
        const bool script = run.config.training.runsScript();
        planned.push_back({.what = script ? "start the command in its own process group, which outlives this program"
                                          : "start the trainer in its own process group, which outlives this program",
            .command = shellQuoted(script ? scriptWords(run.config, {}, false) : request.command),
            .exact = shellQuoted(launchArguments(request))});
    }
    return planned;
}

Result<Started> LocalHost::start(const StartRequest &request)
{
    const Result<ChildResult> reply = runChild(launchArguments(request), kStartLimit);
    if (!reply)
        return reply.error();
    if (reply->exitStatus != 0) {
        return Error{.what = "the run could not be started: " + std::string(trimmed(reply->err)),
            .where = request.directory.string(),
            .fault = Fault::Outside};
    }
    return parseLaunchReply(reply->out, request);
}

Result<bool> LocalHost::fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder)
{
    return copyCheckpoints(paths, workdir, folder);
}

Result<void> LocalHost::uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder)
{
    return folder.empty() ? Result<void>() : copyFolder(paths, config.training.workdir, folder);
}

RunStatus LocalHost::status(const RunPaths &paths) { return statusOf(paths); }

Result<void> LocalHost::requestStop(const RunPaths &paths)
{
    return writePrivateFile(paths.stopRequest(), utcNow() + "\n");
}

Result<void> LocalHost::signalGroup(const RunPaths &paths, int signalNumber)
{
    struct stat status{};
    if (::stat(paths.directory.c_str(), &status) != 0 || status.st_uid != ::geteuid())
        return Error{.what = "the run's directory is not this user's own, so no signal was sent",
            .where = paths.directory.string(),
            .accepted = "a run of your own",
            .fault = Fault::Outside};
    const std::optional<ProcessIdentity> identity = readProcessIdentity(paths);
    if (!identity || !groupIsOurs(*identity, LocalMachine::current()))
        return Error{.what = "its process group is not running on this machine",
            .where = paths.directory.string(),
            .fault = Fault::Outside};
    if (::kill(static_cast<pid_t>(-identity->processGroup), signalNumber) != 0 && errno != ESRCH)
        return Error{.what = "cannot send a signal: " + systemMessage(errno),
            .where = paths.directory.string(),
            .fault = Fault::Outside};
    return {};
}

} // namespace slipway
