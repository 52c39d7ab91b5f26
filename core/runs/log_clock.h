// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.times of a run of another training script: when its log had how many bytes, and what its GPUs did, as its host
// notes it about once a second. From that a line has its time, however late it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "runs/follower.h"
#include "runs/run_directory.h"

namespace slipway {

// When the bytes of one log were written, and by which attempt.
class LogTimes {
public:
    // At `now` the log had `bytes` bytes, and fewer until `before`.
    void note(double before, double now, std::int64_t bytes);
    void beginAttempt(int attempt, std::int64_t bytes);
    // Bytes of the log whose time is known; -1: nothing was noted.
    [[nodiscard]] std::int64_t noted() const { return m_marks.empty() ? -1 : m_marks.back().bytes; }
    [[nodiscard]] double notedAt() const { return m_marks.empty() ? 0 : m_marks.back().now; }
    // When the byte at `offset` was written; `otherwise` where that was not noted.
    [[nodiscard]] double timeOf(std::int64_t offset, double otherwise) const;
    // The attempt that the byte at `offset` belongs to; empty: nothing was noted.
    [[nodiscard]] std::optional<int> attemptAt(std::int64_t offset) const;
    // Of the log that is written in place of this one.
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
    std::vector<Mark> m_marks; // by rising bytes
    std::vector<Begin> m_begins;
};

// A log that was written anew, as its host kept it: a part of script.kept.
struct KeptLog {
    std::int64_t from = 0, end = 0;
    LogTimes times;
};

class LogClock {
public:
    explicit LogClock(const std::filesystem::path &file) : m_file(file) {}

    // Reads what is new. Lines: "t BEFORE NOW BYTES" (seconds since 1970: until BEFORE the log had fewer bytes),
    // "a ATTEMPT BYTES" (the attempt begins there), "n TIME [KEPT]" (the log was written anew, or is another file; what
    // it had been ends at byte KEPT of script.kept), "g TIME INDEX, UTILISATION, WATTS, DEGREES, MIB[, MHZ, MOST MHZ[,
    // 0xREASONS]]". Others are left.
    void poll();
    // What its host does for a run of ours.
    void note(double before, double now, std::int64_t bytes) { m_times.note(before, now, bytes); }
    [[nodiscard]] const LogTimes &times() const { return m_times; }
    // How often the log was written anew.
    [[nodiscard]] std::int64_t generation() const { return m_generation; }
    // What the log was in an earlier generation; null where nothing of it was kept.
    [[nodiscard]] const KeptLog *kept(std::int64_t generation) const;
    // What the GPUs did about that time; empty where that was not noted.
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
    LogTimes m_times; // of the log as it is now
    std::map<std::int64_t, KeptLog> m_kept;
    std::int64_t m_keptEnd = 0;
    std::size_t m_keptMarks = 0;
    std::vector<Gpus> m_gpus; // by rising time
    std::int64_t m_generation = 0;
};

} // namespace slipway
