// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The list of runs at once, however many there are: an SQLite file beside the registry keeps one line about each run
// that has ended. All of it can be read again from the run directories, which alone are true. One thread at a time;
// processes may share the file.
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
    // How long another program's lock on the file is waited for.
    inline static constexpr std::chrono::milliseconds kPatience{2000};

    // Beside the folder of runs: runs.sqlite. Where the file is locked, cannot be written or is of a later version, the
    // index lives in memory and problem() says why. A damaged file is renamed to runs.sqlite.damaged and made anew.
    explicit RunIndex(const Registry &registry);
    RunIndex(Registry registry, std::filesystem::path file, std::chrono::milliseconds patience = kPatience);
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

    // Tells what of `alerts` is new for this run, and remembers all of them in the run's folder.
    std::vector<Alert> noteAlerts(
        const std::filesystem::path &directory, const std::vector<Alert> &alerts, const std::string &now);
    [[nodiscard]] std::vector<AlertRow> alerts(const std::filesystem::path &directory); // newest first

    [[nodiscard]] const Registry &registry() const { return m_registry; }
    [[nodiscard]] bool inMemory() const { return !m_problem.empty(); }
    // Why the index lives in memory; empty: it does not.
    [[nodiscard]] const std::string &problem() const { return m_problem; }

private:
    struct Live;
    void open();
    int openAt(const std::string &name);
    void liveInMemory(const std::string &why);
    void recover();
    AlertHistory &history(const std::filesystem::path &directory);
    [[nodiscard]] std::optional<RunEntry> known(const KnownRun &run, std::int64_t changed);
    void keepAll(const std::vector<std::pair<const RunEntry *, std::int64_t>> &entries);

    Registry m_registry;
    std::filesystem::path m_file;
    std::chrono::milliseconds m_patience;
    sqlite3 *m_database = nullptr;
    int m_failure = 0; // of a statement: SQLite's code
    std::string m_problem;
    std::map<std::filesystem::path, AlertHistory> m_histories;
    std::unique_ptr<Live> m_live; // runs that go on
};

} // namespace slipway
