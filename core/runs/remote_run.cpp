// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/remote_run.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace slipway {

namespace {

using OrderedJson = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr Bytes kLargestRemoteFile = kMiB; // per file
constexpr auto kRecent = 5min; // after this time without an answer, it is not known whether the run is still running

std::filesystem::path statusFile(const RunPaths &paths) { return paths.directory / "standing.json"; }

std::string textOfJson(const OrderedJson &json)
{
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<void> writeJson(const std::filesystem::path &path, const OrderedJson &json)
{
    return writePrivateFile(path, textOfJson(json));
}

// Overwrites a small file in place. This works on a full disk, because the file already has its block.
bool writeOver(const std::filesystem::path &path, std::string text)
{
    const Result<FileDescriptor> file = openPrivateFile(path, O_WRONLY);
    const off_t before = file ? ::lseek(file->get(), 0, SEEK_END) : 0;
    if (before <= 0 || before > kLargestRemoteFile)
        return false;
    text.resize(std::max(text.size(), static_cast<std::size_t>(before)), ' ');
    return ::pwrite(file->get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
           ::fsync(file->get()) == 0;
}

// A path may contain bytes that are not valid UTF-8, which JSON cannot represent. They are written as %XX, and % as
// %25.
std::string toPlain(const std::string &text)
{
    static const char digits[] = "0123456789abcdef";
    std::string plain;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '%')
            plain += c;
        else
            plain += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return plain;
}

std::string fromPlain(const std::string &plain)
{
    const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string text;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (plain[i] == '%' && i + 2 < plain.size() && value(plain[i + 1]) >= 0 && value(plain[i + 2]) >= 0) {
            text += static_cast<char>(value(plain[i + 1]) * 16 + value(plain[i + 2]));
            i += 2;
        } else {
            text += plain[i];
        }
    }
    return text;
}

std::string textOf(const nlohmann::json &json, const char *key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<nlohmann::json> readJson(const std::filesystem::path &path)
{
    const Result<std::string> text = readPrivateFile(path, kLargestRemoteFile);
    if (!text)
        return text.error();
    Result<nlohmann::json> json = parseJson(*text);
    if (!json)
        return Error{.what = "is damaged: it " + json.error().what, .where = path.string()};
    if (!json->is_object())
        return Error{.what = "is damaged: it is not a JSON object", .where = path.string()};
    return json;
}

} // namespace

std::filesystem::path remoteRunFile(const RunPaths &paths) { return paths.directory / "remote.json"; }

bool isRemoteRun(const RunPaths &paths)
{
    std::error_code ignored;
    return std::filesystem::exists(remoteRunFile(paths), ignored);
}

Result<RemoteRun> readRemoteRun(const RunPaths &paths)
{
    const Result<nlohmann::json> json = readJson(remoteRunFile(paths));
    if (!json)
        return json.error();
    RemoteRun run{.host = textOf(*json, "host"),
        .directory = fromPlain(textOf(*json, "directory")),
        .trainer = fromPlain(textOf(*json, "trainer")),
        .options = {}};
    if (const auto options = json->find("options"); options != json->end() && options->is_array()) {
        for (const nlohmann::json &option : *options)
            run.options.push_back(option.is_string() ? option.get<std::string>() : std::string());
    }
    if (run.host.empty())
        return Error{.what = "is damaged: it does not name a host", .where = remoteRunFile(paths).string()};
    return run;
}

Result<void> writeRemoteRun(const RunPaths &paths, const RemoteRun &run)
{
    return writeJson(
        remoteRunFile(paths), OrderedJson{{"v", 1}, {"host", run.host}, {"directory", toPlain(run.directory)},
                                  {"trainer", toPlain(run.trainer)}, {"options", run.options}});
}

std::optional<KnownStatus> readKnownStatus(const RunPaths &paths)
{
    const Result<nlohmann::json> json = readJson(statusFile(paths));
    if (!json)
        return std::nullopt;
    const std::optional<RunState> state = enumFromName<RunState>(textOf(*json, "state"));
    if (!state)
        return std::nullopt;
    KnownStatus known{.status = {.state = *state, .exitStatus = {}, .detail = textOf(*json, "detail")},
        .seen = textOf(*json, "seen"),
        .unreachable = textOf(*json, "unreachable")};
    if (const auto status = json->find("exit_status");
        status != json->end() && status->is_number_integer() && *status >= 0 && *status <= 255)
        known.status.exitStatus = status->get<int>();
    if (const auto skew = json->find("clock_skew_s"); skew != json->end() && skew->is_number())
        known.clockSkew = skew->get<double>();
    return known;
}

Result<void> writeKnownStatus(const RunPaths &paths, const KnownStatus &known)
{
    OrderedJson json{{"v", 1}, {"state", enumName(known.status.state)}, {"detail", known.status.detail},
        {"seen", known.seen}, {"clock_skew_s", known.clockSkew}};
    if (known.status.exitStatus)
        json["exit_status"] = *known.status.exitStatus;
    if (!known.unreachable.empty())
        json["unreachable"] = known.unreachable;
    const Result<void> written = writeJson(statusFile(paths), json);
    return written || writeOver(statusFile(paths), textOfJson(json)) ? Result<void>() : written;
}

RunPaths pathsOfNode(const RunPaths &paths, std::size_t node)
{
    if (node == 0)
        return paths;
    return {paths.directory / "nodes" / (paths.directory.filename().string() + ".node" + std::to_string(node))};
}

std::filesystem::path nodesEndedFile(const RunPaths &paths) { return paths.directory / "nodes" / "ended"; }

std::optional<NodesEnded> readNodesEnded(const RunPaths &paths)
{
    const Result<std::string> text = readPrivateFile(nodesEndedFile(paths), 4 * kKiB);
    const std::vector<std::string_view> words = split(text ? trimmed(*text) : std::string_view(), ' ');
    const auto node = words.size() == 2 ? parseInteger(words[0]) : std::nullopt;
    const auto time = words.size() == 2 ? fromIso8601(words[1]) : std::nullopt;
    if (!node || !time || *node < 0 || *node > 65536)
        return std::nullopt;
    return NodesEnded{.node = static_cast<std::size_t>(*node), .time = *time};
}

RunStatus statusOfCopy(const RunPaths &paths, std::chrono::system_clock::time_point now)
{
    const std::optional<KnownStatus> known = readKnownStatus(paths);
    if (!known)
        return {.state = RunState::Draft};
    RunStatus status = known->status;
    if (isTerminal(status.state) || status.state == RunState::Draft)
        return status;
    const auto seen = fromIso8601(known->seen);
    const bool recent = seen && now - *seen < kRecent && *seen - now < kRecent;
    if (known->unreachable.empty() && recent)
        return status;
    const std::string last =
        known->seen.empty() ? std::string() : "; it was " + std::string(enumName(status.state)) + " at " + known->seen;
    status.detail = (known->unreachable.empty() ? "its host has not been contacted since" : known->unreachable) + last;
    status.state = RunState::Unknown;
    status.asOf = known->seen;
    return status;
}

std::chrono::system_clock::time_point nowOnHostOf(const RunPaths &paths, std::chrono::system_clock::time_point now)
{
    const std::optional<KnownStatus> known = isRemoteRun(paths) ? readKnownStatus(paths) : std::nullopt;
    constexpr double kMost = 1e9; // about 30 years; a larger value is not a clock
    if (!known || !(std::abs(known->clockSkew) < kMost))
        return now;
    return now + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                     std::chrono::duration<double>(known->clockSkew));
}

} // namespace slipway
