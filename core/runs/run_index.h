// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The list of runs at once, however many there are: an SQLite file beside the registry keeps one line about each run
// that has ended, and the alerts that were told. All of it can be read again from the run directories, which alone are
// true: a lost or damaged file is made anew. One thread at a time; processes may share the file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runs/alerts.h"
#include "runs/run_entry.h"

struct sqlite3;

namespace slipway {

struct AlertRow {
    std::filesystem::path directory;
    Alert alert;
    std::string since; // when it was first seen, ISO 8601
    std::string until; // when it was last seen to be over; empty: it lasts
    bool operator==(const AlertRow &) const = default;
};

class RunIndex {
public:
    // Beside the folder of runs: runs.sqlite. Where it cannot be written the index lives in memory.
    explicit RunIndex(Registry registry);
    RunIndex(Registry registry, const std::filesystem::path &file);
    ~RunIndex();
    RunIndex(const RunIndex &) = delete;
    RunIndex &operator=(const RunIndex &) = delete;

    // Every known run, newest first. Reads the directories of those that run or have changed since: of a long one the
    // ends, so that its least loss and its peaks are those of its last steps.
    std::vector<RunEntry> list();
    // The runs of the last list() that go on, by their ends.
    void forEachLive(const std::function<void(const RunData &)> &visit) const;
    // Forgets what it knows and reads every run again.
    std::vector<RunEntry> rebuild();

    // Tells what of `alerts` is new for this run, and remembers all of them.
    std::vector<Alert> noteAlerts(
        const std::filesystem::path &directory, const std::vector<Alert> &alerts, const std::string &now);
    [[nodiscard]] std::vector<AlertRow> alerts(const std::filesystem::path &directory); // newest first

    [[nodiscard]] const Registry &registry() const { return m_registry; }
    [[nodiscard]] bool inMemory() const { return m_inMemory; }

private:
    struct Live;
    void open(const std::filesystem::path &file);
    bool openAt(const std::string &name);
    [[nodiscard]] std::optional<RunEntry> known(const KnownRun &run, std::int64_t changed);
    void keepAll(const std::vector<std::pair<const RunEntry *, std::int64_t>> &entries);

    Registry m_registry;
    sqlite3 *m_database = nullptr;
    bool m_inMemory = false;
    std::unique_ptr<Live> m_live; // runs that go on
};

} // namespace slipway
