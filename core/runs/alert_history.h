// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which alerts a run has had, since when and until when: alerts.jsonl in its folder. Nothing else says it, so it is
// appended line by line and synced, and several programs may write it at the same time. Alerts are numbered; a later
// line of the same number replaces an earlier one, and the numbers are their order, whatever the clocks said.
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
    std::string since; // when it was first seen, ISO 8601
    std::string until; // when it was last seen to be over; empty: it lasts
    bool operator==(const AlertRow &) const = default;
};

std::filesystem::path alertsFile(const RunPaths &paths);

class AlertHistory {
public:
    inline static constexpr std::size_t kMostRows = 500; // the newest; older ones are dropped

    explicit AlertHistory(std::filesystem::path directory);

    // Which of `alerts` is new, and remembers all of them. An alert that is over and comes back within ten minutes is
    // not new.
    std::vector<Alert> note(const std::vector<Alert> &alerts, const std::string &now);
    // Takes over rows of an earlier format, oldest first. False where the file cannot be written.
    bool adopt(const std::vector<AlertRow> &rows);
    [[nodiscard]] std::vector<AlertRow> rows(); // newest first
    // Why the file cannot be written, so that what is new is kept only by this object; empty: it can.
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
