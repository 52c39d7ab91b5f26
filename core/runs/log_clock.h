// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.times in the run directory of another training script: at which times the log had which size, and samples of
// the GPUs, which the host records about once per second. The time of each line of the log is derived from it, no
// matter how late the line is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "runs/follower.h"
#include "runs/run_directory.h"

namespace slipway {

// At which time, and by which attempt, the bytes of a log were written.
class LogTimes {
public:
    // At `now` the log had `bytes` bytes; until `before` it had fewer.
    void note(double before, double now, std::int64_t bytes);
    void beginAttempt(int attempt, std::int64_t bytes);
    // The number of leading bytes of the log whose time is known; -1 if no time was recorded.
    [[nodiscard]] std::int64_t noted() const { return m_marks.empty() ? -1 : m_marks.back().bytes; }
    [[nodiscard]] double notedAt() const { return m_marks.empty() ? 0 : m_marks.back().now; }
    // The time when the byte at `offset` was written; `otherwise` if no time was recorded for it.
    [[nodiscard]] double timeOf(std::int64_t offset, double otherwise) const;
    // The attempt that wrote the byte at `offset`; empty if none was recorded.
    [[nodiscard]] std::optional<int> attemptAt(std::int64_t offset) const;
    // The times of the log that replaces this one.
    [[nodiscard]] LogTimes next() const;
    [[nodiscard]] std::size_t size() const { return m_marks.size(); }

private:
    struct Mark {
        double before = 0, now = 0;
        std::int64_t bytes = 0;
    };
    struct Begin {
        int attempt = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Mark> m_marks; // by ascending bytes
    std::vector<Begin> m_begins;
};

// An earlier version of a log that was rewritten, which the host kept: a range of script.kept.
struct KeptLog {
    std::int64_t from = 0, end = 0;
    LogTimes times;
};

class LogClock {
public:
    explicit LogClock(const std::filesystem::path &file) : m_file(file) {}

    // Reads new lines. Formats: "t BEFORE NOW BYTES" (seconds since 1970: until BEFORE the log had fewer bytes), "a
    // ATTEMPT BYTES" (the attempt begins at that byte), "n TIME [KEPT]" (the log was rewritten or is another file; its
    // previous contents end at byte KEPT of script.kept), "g TIME INDEX, UTILISATION, WATTS, DEGREES, MIB[, MHZ, MOST
    // MHZ[, 0xREASONS]]". Other lines are ignored.
    void poll();
    // Records a size of the log. Used for attached runs, which have no script.times.
    void note(double before, double now, std::int64_t bytes) { m_times.note(before, now, bytes); }
    [[nodiscard]] const LogTimes &times() const { return m_times; }
    // The number of times that the log was rewritten.
    [[nodiscard]] std::int64_t generation() const { return m_generation; }
    // The contents of the log in an earlier generation; nullptr if they were not kept.
    [[nodiscard]] const KeptLog *kept(std::int64_t generation) const;
    // The latest samples of the GPUs at `time`; empty if there are none, or if they are too old.
    [[nodiscard]] std::vector<GpuSample> gpusAt(double time) const;

private:
    struct Gpus {
        double time = 0;
        std::vector<GpuSample> samples;
    };
    void take(const std::string &line);
    void takeGpu(const std::string &line);
    void beginLog(std::optional<std::int64_t> keptEnd);

    LineFollower m_file;
    LogTimes m_times; // times of the current log
    std::map<std::int64_t, KeptLog> m_kept;
    std::int64_t m_keptEnd = 0;
    std::size_t m_keptMarks = 0;
    std::vector<Gpus> m_gpus; // by ascending time
    std::int64_t m_generation = 0;
};

} // namespace slipway
