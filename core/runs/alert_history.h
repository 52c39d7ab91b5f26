// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Records the alerts of a run with their begin and end: alerts.jsonl in the run directory. This file is the only
// record, so each line is appended and synced, and several programs may write it at the same time. Alerts are numbered.
// A later line with the same number replaces an earlier one, and the numbers give the order, independently of the
// clocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runs/alerts.h"
#include "runs/follower.h"

namespace slipway {

struct AlertRow {
    std::filesystem::path directory;
    Alert alert;
    std::string since; // time when it was first seen, ISO 8601
    std::string until; // time when it was first seen to have ended; empty: it is still active
    bool operator==(const AlertRow &) const = default;
};

std::filesystem::path alertsFile(const RunPaths &paths);

class AlertHistory {
public:
    static constexpr std::size_t kMostRows = 500; // the latest; older ones are dropped

    explicit AlertHistory(std::filesystem::path directory);

    // Returns the alerts that are new, and records all of them. An alert that ended and returns within ten minutes is
    // not new.
    std::vector<Alert> note(const std::vector<Alert> &alerts, const std::string &now);
    // Imports rows of an earlier format, oldest first. Returns false if the file cannot be written.
    bool adopt(const std::vector<AlertRow> &rows);
    [[nodiscard]] std::vector<AlertRow> rows(); // latest first
    // Why the file cannot be written, in which case only this object stores new alerts; empty: it can be written.
    [[nodiscard]] const std::string &problem() const { return m_problem; }

private:
    void readOn();
    void takeLine(const std::string &line);
    bool write(const std::vector<std::int64_t> &changed);
    AlertRow *last(AlertKind kind, std::int64_t &number);

    std::filesystem::path m_directory;
    LineFollower m_lines;
    std::map<std::int64_t, AlertRow> m_rows; // by number
    std::string m_problem;
};

} // namespace slipway
