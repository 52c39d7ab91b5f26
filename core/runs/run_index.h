// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Provides the list of runs quickly, however many there are: an SQLite file next to the registry stores one row about
// each run that has ended. All of it can be rebuilt from the run directories, which are the only authoritative source.
// One thread at a time; several processes may share the file.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runs/alert_history.h"
#include "runs/run_entry.h"

struct sqlite3;

namespace slipway {

class RunIndex {
public:
    // How long to wait for another program's lock on the file.
    static constexpr std::chrono::milliseconds kPatience{2000};

    // Opens runs.sqlite next to the folder of runs. If the file is locked, not writable or of a later version, the
    // index is kept in memory and problem() says why. A damaged file is renamed to runs.sqlite.damaged and created
    // anew.
    explicit RunIndex(const Registry &registry);
    RunIndex(Registry registry, std::filesystem::path file, std::chrono::milliseconds timeout = kPatience);
    ~RunIndex();
    RunIndex(const RunIndex &) = delete;
    RunIndex &operator=(const RunIndex &) = delete;

    // All known runs, latest first. Reads the directories of runs that are active or have changed. Of long runs, only
    // the first and last steps are read, so that the lowest loss and the peaks are those of the last steps.
    std::vector<RunEntry> list();
    // Visits the active runs of the last list(), with their first and last steps.
    void forEachLive(const std::function<void(const RunData &)> &visit) const;
    // Clears the index and reads all runs again.
    std::vector<RunEntry> rebuild();

    // Returns the alerts that are new for this run, and records all of them in the run directory.
    std::vector<Alert> noteAlerts(
        const std::filesystem::path &directory, const std::vector<Alert> &alerts, const std::string &now);
    [[nodiscard]] std::vector<AlertRow> alerts(const std::filesystem::path &directory); // latest first

    [[nodiscard]] const Registry &registry() const { return m_registry; }
    [[nodiscard]] bool inMemory() const { return !m_problem.empty(); }
    // Why the index is kept in memory; empty: it is not.
    [[nodiscard]] const std::string &problem() const { return m_problem; }

private:
    struct Live;
    void open();
    int openAt(const std::string &name);
    void fallBackToMemory(const std::string &why);
    void recover();
    AlertHistory &history(const std::filesystem::path &directory);
    [[nodiscard]] std::optional<RunEntry> known(const KnownRun &run, std::int64_t changed);
    void keepAll(const std::vector<std::pair<const RunEntry *, std::int64_t>> &entries);

    Registry m_registry;
    std::filesystem::path m_file;
    std::chrono::milliseconds m_timeout;
    sqlite3 *m_database = nullptr;
    int m_failure = 0; // SQLite's error code of a failed statement
    std::string m_problem;
    std::map<std::filesystem::path, AlertHistory> m_histories;
    std::unique_ptr<Live> m_live; // active runs
};

} // namespace slipway
