// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is copied to the host for a run: its directory, data, the shape of the model, the trainer.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "hosts/host_text.h"
#include "hosts/preflight.h"
#include "hosts/script_command.h"
#include "hosts/shell_host.h"
#include "hosts/shell_quote.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr auto kCopyLimit = std::chrono::hours(12);
constexpr std::size_t kTextAtOnce = 4 * kMiB; // of text per command

// mkdir fails if the name exists, so two launches never share a directory.
const char *const makeDirectoriesScript = R"script(
umask 077
home=$1
shift
if [ -z "$home$XDG_DATA_HOME$HOME" ]; then
    echo "neither XDG_DATA_HOME nor HOME is set there, so there is no folder for runs" >&2
    exit 3
fi
[ -n "$home" ] || home=${XDG_DATA_HOME:-$HOME/.local/share}/slipway
mkdir -p -- "$home/runs" && cd -- "$home/runs" || exit 3
printf '\0'
for name in "$@"; do
    number=1 candidate=$name
    until mkdir -- "$candidate" 2> /dev/null; do
        if [ ! -e "$candidate" ]; then mkdir -- "$candidate"; exit 3; fi
        number=$((number + 1)) candidate=$name-$number
    done
    printf '%s\0' "$(cd -- "$candidate" && pwd)"
done
)script";

// Writes each file completely or not at all.
const char *const writeFilesScript = R"script(
umask 077
set -C # > makes a new file, and follows no link
while [ $# -gt 2 ]; do
    cd -- "$1" && rm -f -- "$2.tmp" && printf '%s' "$3" > "$2.tmp" && mv -f -- "$2.tmp" "$2" || exit 3
    shift 3
done
)script";

const char *const sizesScript = R"script(
for path in "$@"; do
    if [ -r "$path" ] && [ -f "$path" ]; then stat -L -c %s -- "$path" || echo -; else echo -; fi
done
)script";

const char *const makeFoldersScript = R"script(
umask 077
mkdir -p -- "$@" || exit 3
)script";

const char *const settleBundleScript = R"script(
# Another launch may have been first.
[ -e "$2/bin/slipway-train" ] || mv -T -- "$1" "$2" || [ -e "$2/bin/slipway-train" ] || exit 3
rm -rf -- "$1"
)script";

// Keeps letters, digits, dots, dashes and underscores, which every file system accepts.
std::string remoteName(const std::string &name) { return safeName(name, {.kept = "-_.", .longest = 80}); }

std::string hashed(const std::string &text) // FNV-1a, 64 bits: for names, not for security
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

// The place of a local file on the host. It depends on the file's path, size and time, so that a changed file never
// replaces the one that a run reads.
std::string placeThere(const std::string &home, const std::string &path)
{
    std::error_code ignored;
    const auto time = fs::last_write_time(path, ignored).time_since_epoch().count();
    const auto size = fs::file_size(path, ignored);
    return home + "/data/" + hashed(fmt::format("{}|{}|{}|{}", LocalMachine::current().hostName, path, size, time)) +
           "/" + remoteName(fs::path(path).filename().string());
}

// The file with the shape of a model: the file itself, or a folder's config.json.
std::optional<fs::path> modelFile(const std::string &name)
{
    std::error_code ignored;
    if ((name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json")) &&
        fs::is_regular_file(name, ignored))
        return name;
    if (fs::is_regular_file(fs::path(name) / "config.json", ignored))
        return fs::path(name) / "config.json";
    return std::nullopt;
}

// The index of a Megatron data set. It has the same name as the tokens and is in the same folder. Empty if there is
// none.
fs::path indexOf(const fs::path &tokens)
{
    std::error_code ignored;
    const fs::path index = fs::path(tokens).replace_extension(".idx");
    return index != tokens && fs::is_regular_file(index, ignored) ? index : fs::path();
}

std::string shapeName(const fs::path &shape) { return shape.extension() == ".json" ? "config.json" : "model.yaml"; }

} // namespace

NodeBundle ShellHost::trainerToCopy() const { return m_shell->isLocal() ? NodeBundle{} : nodeBundle(); }

std::string ShellHost::remoteDirectory(const fs::path &directory) const
{
    if (const Result<RemoteRun> run = readRemoteRun({directory}); run && !run->directory.empty())
        return run->directory;
    if (m_shell->isLocal())
        return directory.string();
    const std::string home = m_facts ? m_facts->home : m_home.empty() ? "~/.local/share/slipway" : m_home;
    return home + "/runs/" + remoteName(directory.filename().string());
}

std::string ShellHost::trainer() const
{
    if (m_facts && m_facts->trainerVersion == ownVersion())
        return m_facts->trainer;
    if (m_facts && !trainerToCopy().folder.empty())
        return bundlePlace(m_facts->home) + "/bin/slipway-train";
    return "slipway-train";
}

std::vector<std::string> ShellHost::trainerCommand(
    const RunConfig &config, const fs::path &directory, bool resume) const
{
    if (config.training.runsScript())
        return scriptCommand(config, readScriptRules({directory}).valueOr({}), resume);
    std::vector<std::string> command{trainer(), "run", remoteDirectory(directory)};
    if (config.parallel.gpus > 1)
        command.insert(command.end(), {"-n", std::to_string(config.parallel.gpus)});
    if (resume)
        command.emplace_back("--resume");
    return command;
}

std::vector<PlannedCommand> ShellHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned;
    if (m_shell->isLocal())
        return planned;
    const auto once = [&planned](PlannedCommand step) {
        if (std::none_of(planned.begin(), planned.end(),
                [&](const PlannedCommand &known) { return known.command == step.command; }))
            planned.push_back(std::move(step));
    };
    const auto scripted = [this](std::string what, const std::string &brief, const char *script,
                              const std::vector<std::string> &arguments) {
        return PlannedCommand{
            .what = std::move(what), .command = m_shell->shown(brief), .exact = m_shell->shownRun(script, arguments)};
    };
    const std::string home = m_facts ? m_facts->home : m_home;
    if (const NodeBundle bundle = trainerToCopy();
        m_facts && m_facts->trainerVersion != ownVersion() && !bundle.folder.empty() &&
        std::any_of(
            runs.begin(), runs.end(), [](const PlannedRun &run) { return !run.config.training.runsScript(); })) {
        const std::string place = bundlePlace(home);
        once(scripted("make a folder for the trainer", "mkdir -p -- " + shellQuoted(place + ".part"), makeFoldersScript,
            {place + ".part"}));
        once({"copy the trainer", shellQuoted(m_shell->sendCommand(bundle.folder + "/", place + ".part/"))});
        once(scripted("rename it into place", "mv -T -- " + shellQuoted(place + ".part") + " " + shellQuoted(place),
            settleBundleScript, {place + ".part", place}));
    }
    for (const PlannedRun &run : runs) {
        const std::string there = remoteDirectory(run.directory);
        Moved moved;
        for (InputOnHost &file : filesOf(run.config)) {
            if (const auto known = m_inputsOnHost.find(file.path); known != m_inputsOnHost.end())
                file.there = known->second;
            if (!file.toCopy())
                continue;
            const std::string place = placeThere(home, file.path), folder = fs::path(place).parent_path().string();
            moved[file.path] = place;
            once(scripted("make its folder, unless it exists", "mkdir -p -- " + shellQuoted(folder), makeFoldersScript,
                {folder}));
            once({"copy " + file.what + ", unless it exists", shellQuoted(m_shell->sendCommand(file.path, place))});
            if (const fs::path index = indexOf(file.path); !index.empty())
                once({"copy its index", shellQuoted(m_shell->sendCommand(
                                            index.string(), fs::path(place).replace_extension(".idx").string()))});
        }
        once(scripted("make the run directory, with a number added to its name where the name is taken",
            "mkdir -- " + shellQuoted(there), makeDirectoriesScript,
            {m_home, remoteName(run.directory.filename().string())}));
        std::vector<std::string> files{there, "run.yaml", toYaml(remoteConfig(run.config, there, moved))};
        if (const std::optional<fs::path> shape = modelFile(run.config.model.name)) {
            const Result<std::string> text = readFile(*shape);
            files.insert(files.begin(), {there, shapeName(*shape), text.valueOr({})});
        }
        once(scripted("write run.yaml and prediction.json", "cat > " + shellQuoted(there + "/run.yaml"),
            writeFilesScript, files));
    }
    return planned;
}

Result<std::vector<RemoteRun>> ShellHost::makeDirectories(const std::vector<PlannedRun> &runs)
{
    std::vector<RemoteRun> all;
    std::vector<std::size_t> fresh;
    std::vector<std::string> arguments{m_home};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Result<RemoteRun> known = readRemoteRun({runs[i].directory});
        const bool made = known && !known->directory.empty();
        all.push_back(
            made ? *known
                 : RemoteRun{
                       .host = m_name, .directory = runs[i].directory.string(), .trainer = {}, .options = m_options});
        if (made)
            continue;
        fresh.push_back(i);
        arguments.push_back(remoteName(runs[i].directory.filename().string()));
    }
    if (!m_shell->isLocal() && !fresh.empty()) {
        const Result<std::string> said = ask(makeDirectoriesScript, arguments, "runs");
        if (!said)
            return said.error();
        // The answer has an empty record, then one record per directory.
        const std::vector<std::string_view> directories = split(*said, '\0');
        if (directories.size() != fresh.size() + 2)
            return Error{
                .what = "did not report which run directories it created", .where = m_name, .fault = Fault::Outside};
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            if (!isRemotePath(directories[i + 1]))
                return Error{.what = "reports that it created the directory '" + shownLine(directories[i + 1]) + "'",
                    .where = m_name,
                    .accepted = "an absolute path without control characters",
                    .fault = Fault::Outside};
            all[fresh[i]].directory = directories[i + 1];
        }
    }
    for (const std::size_t i : fresh) {
        if (const Result<void> written = writeRemoteRun({runs[i].directory}, all[i]); !written)
            return written.error();
    }
    return all;
}

// Copies to a folder next to it, where an interrupted copy continues. The folder is renamed when it is complete. A
// trainer of another version is kept for the runs that use it.
Result<void> ShellHost::copyTrainer(const HostFacts &facts)
{
    const std::string bundle = trainerToCopy().folder, place = bundlePlace(facts.home), part = place + ".part";
    if (facts.trainerVersion == ownVersion() || bundle.empty())
        return {};
    if (const Result<std::string> made = ask(makeFoldersScript, {part}, part); !made)
        return made.error();
    if (const Result<void> copied = m_shell->send(bundle + "/", part + "/", kCopyLimit); !copied)
        return copied;
    if (const Result<std::string> settled = ask(settleBundleScript, {part, place}, place); !settled)
        return settled.error();
    const Result<HostFacts> after = this->facts();
    if (!after)
        return after.error();
    const PreflightCheck check = trainerCheck(*after, {});
    return check.passed ? Result<void>()
                        : Result<void>(Error{
                              .what = "the copied trainer: " + check.detail, .where = m_name, .fault = Fault::Outside});
}

Result<ShellHost::Moved> ShellHost::copyFiles(const std::vector<PlannedRun> &runs, const std::string &home)
{
    std::vector<InputOnHost> files;
    for (const PlannedRun &run : runs) {
        for (InputOnHost &file : filesOf(run.config)) {
            if (std::none_of(
                    files.begin(), files.end(), [&](const InputOnHost &known) { return known.path == file.path; }))
                files.push_back(std::move(file));
        }
    }
    std::vector<std::string> paths, folders;
    for (const InputOnHost &file : files)
        paths.push_back(file.path);
    const Result<std::string> sizes = ask(sizesScript, paths, "data");
    if (!sizes)
        return sizes.error();
    const std::vector<std::string_view> lines = split(trimmed(*sizes), '\n');
    Moved moved;
    for (std::size_t i = 0; i < files.size(); ++i) {
        files[i].there = i < lines.size() ? parseInteger(lines[i]) : std::nullopt;
        if (!files[i].toCopy())
            continue;
        moved[files[i].path] = placeThere(home, files[i].path);
        folders.push_back(fs::path(moved[files[i].path]).parent_path().string());
    }
    if (moved.empty())
        return moved;
    if (const Result<std::string> made = ask(makeFoldersScript, folders, "data"); !made)
        return made.error();
    for (const auto &[path, place] : moved) {
        if (const Result<void> copied = m_shell->send(path, place, kCopyLimit); !copied)
            return copied.error();
        if (const fs::path index = indexOf(path); !index.empty()) {
            if (const Result<void> copied =
                    m_shell->send(index.string(), fs::path(place).replace_extension(".idx").string(), kCopyLimit);
                !copied)
                return copied.error();
        }
    }
    return moved;
}

Result<void> ShellHost::writeRemoteFiles(const std::vector<RemoteText> &files)
{
    std::vector<std::string> arguments;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        arguments.insert(arguments.end(), {files[i].directory, files[i].name, files[i].text});
        bytes += files[i].text.size();
        if (bytes < kTextAtOnce && i + 1 < files.size())
            continue;
        if (const Result<std::string> written = ask(writeFilesScript, arguments, files[i].directory); !written)
            return written.error();
        arguments.clear();
        bytes = 0;
    }
    return {};
}

// The configuration as the host gets it: with the paths of the copied files, and the shape of the model as a file next
// to it.
RunConfig ShellHost::remoteConfig(RunConfig config, const std::string &directory, const Moved &moved)
{
    const auto move = [&](std::string &path) {
        const auto place = moved.find(path);
        path = place == moved.end() ? path : place->second;
    };
    for (auto *sources : {&config.training.data, &config.training.evalData}) {
        for (DataSource &source : *sources)
            move(source.path);
    }
    move(config.training.tokenizer);
    if (const std::optional<fs::path> shape = modelFile(config.model.name))
        config.model.name = directory + "/" + shapeName(*shape);
    return config;
}

Result<void> ShellHost::writeRuns(
    const std::vector<PlannedRun> &runs, const std::vector<RemoteRun> &there, const Moved &moved)
{
    std::vector<RemoteText> files;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string &directory = there[i].directory;
        if (const std::optional<fs::path> shape = modelFile(runs[i].config.model.name)) {
            Result<std::string> text = readFile(*shape);
            if (!text)
                return text.error();
            files.push_back({.directory = directory, .name = shapeName(*shape), .text = *std::move(text)});
        }
        if (Result<std::string> prediction = readPrivateFile(RunPaths{runs[i].directory}.prediction()))
            files.push_back({.directory = directory, .name = "prediction.json", .text = *std::move(prediction)});
        files.push_back({.directory = directory,
            .name = "run.yaml",
            .text = toYaml(remoteConfig(runs[i].config, directory, moved))});
    }
    return writeRemoteFiles(files);
}

Result<void> ShellHost::prepare(const std::vector<PlannedRun> &runs)
{
    if (!m_facts) {
        if (const Result<HostFacts> asked = facts(); !asked)
            return asked.error();
    }
    Moved files;
    if (!m_shell->isLocal()) {
        const bool trains = std::any_of(
            runs.begin(), runs.end(), [](const PlannedRun &run) { return !run.config.training.runsScript(); });
        if (const Result<void> copied = trains ? copyTrainer(*m_facts) : Result<void>(); !copied)
            return copied;
        Result<Moved> moved = copyFiles(runs, m_facts->home);
        if (!moved)
            return moved.error();
        files = *std::move(moved);
    }
    const Result<std::vector<RemoteRun>> there = makeDirectories(runs);
    if (!there || m_shell->isLocal())
        return there ? Result<void>() : Result<void>(there.error());
    return writeRuns(runs, *there, files);
}

Result<void> ShellHost::writeText(const RunPaths &paths, const std::string &name, const std::string &text)
{
    const Result<RemoteRun> run = readRemoteRun(paths);
    if (!run)
        return run.error();
    return writeRemoteFiles({{.directory = run->directory, .name = name, .text = text}});
}

Result<void> ShellHost::sendCheckpoint(const RunPaths &from, const RunPaths &to)
{
    const Result<RemoteRun> run = readRemoteRun(to);
    const Result<std::string> latest = readPrivateFile(from.checkpoints() / "latest", 4 * kKiB);
    if (!run || !latest)
        return run ? latest.error() : run.error();
    const std::string name(trimmed(*latest));
    if (!isPlainFileName(name))
        return Error{.what = "does not name a checkpoint", .where = (from.checkpoints() / "latest").string()};
    const std::string place = run->directory + "/checkpoints/" + name;
    if (const Result<std::string> made = ask(makeFoldersScript, {place}, place); !made)
        return made.error();
    return m_shell->send((from.checkpoints() / name).string() + "/", place + "/", kCopyLimit);
}

Result<std::string> ShellHost::remoteAddress()
{
    // Our address and port, then those of the host.
    const Result<std::string> said = ask("echo \"$SSH_CONNECTION\"", {}, "its address");
    if (!said)
        return said.error();
    const std::vector<std::string_view> words = split(trimmed(*said), ' ');
    return words.size() == 4 ? std::string(words[2]) : std::string();
}

} // namespace slipway
