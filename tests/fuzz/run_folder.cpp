// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run directory that others filled. The input is its files, each behind a line "=== NAME".
#include "runs/run_reader.h"

#include <algorithm>
#include <array>

#include "fuzz_input.h"
#include "runs/labels.h"
#include "runs/progress.h"
#include "runs/remote_run.h"
#include "runs/run_entry.h"

using namespace slipway;

namespace {

constexpr std::array<std::string_view, 14> kFiles{"run.yaml", "metrics.jsonl", "events.jsonl", "prediction.json",
    "labels.json", "remote.json", "standing.json", "imported.json", "out.log", "err.log", "pgid", "starttime",
    "boot_id", "rc"};

void fill(const std::filesystem::path &folder, std::string_view input)
{
    constexpr std::string_view kMark = "=== ";
    for (const std::string_view file : kFiles)
        std::filesystem::remove(folder / file);
    std::size_t at = input.find(kMark);
    while (at != std::string_view::npos) {
        const std::size_t next = input.find("\n=== ", at);
        const auto [name, text] = splitChoice(input.substr(at + kMark.size(), next - at - kMark.size()));
        if (std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end())
            writeText(folder / name, text);
        at = next == std::string_view::npos ? next : next + 1;
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    const RunPaths paths{folder.path()};
    fill(paths.directory, textOf(data, size));
    const Result<RunData> run = readRun(paths.directory);
    (void)readRun(paths.directory, RunReader::Extent::Ends);
    (void)readRemoteRun(paths);
    (void)statusOfCopy(paths, std::chrono::system_clock::now());
    (void)nowOnHostOf(paths, std::chrono::system_clock::now());
    (void)lastErrors(paths, 5);
    if (!run)
        return 0;
    const RunEntry entry = entryOf("run", *run);
    const std::optional<RunEntry> again = runEntryFromJson(toJsonText(entry));
    require(again.has_value(), "the entry of a run that was written is read again");
    (void)summaryOf(*run);
    return 0;
}
