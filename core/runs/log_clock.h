// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.times of a run of another training script: when its log had how many bytes, and what its GPUs did, as its host
// notes it about once a second. From that a line has its time, however late it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "runs/follower.h"
#include "runs/run_directory.h"

namespace slipway {

class LogClock {
public:
    explicit LogClock(const std::filesystem::path &file) : m_file(file) {}

    // Reads what is new. Lines: "t BEFORE NOW BYTES" (seconds since 1970: until BEFORE the log had fewer bytes),
    // "a ATTEMPT BYTES" (the attempt begins there), "n TIME" (the log was written anew, or is another file),
    // "g TIME INDEX, UTILISATION, WATTS, DEGREES, MIB". Others are left.
    void poll();
    // Notes that the log had `bytes` bytes at `now`, and fewer until `before`: what its host does for a run of ours.
    void note(double before, double now, std::int64_t bytes);
    // Bytes of the log whose time is known; -1: nothing was noted.
    [[nodiscard]] std::int64_t noted() const { return m_marks.empty() ? -1 : m_marks.back().bytes; }
    [[nodiscard]] double notedAt() const { return m_marks.empty() ? 0 : m_marks.back().now; }
    // How often the log was written anew. What is told of its bytes is of the newest one.
    [[nodiscard]] std::int64_t generation() const { return m_generation; }
    // When the log's byte at `offset` was written; `otherwise` where that was not noted.
    [[nodiscard]] double timeOf(std::int64_t offset, double otherwise) const;
    // The attempt that the byte at `offset` belongs to; empty: nothing was noted.
    [[nodiscard]] std::optional<int> attemptAt(std::int64_t offset) const;
    // What the GPUs did about that time; empty where that was not noted.
    [[nodiscard]] std::vector<GpuSample> gpusAt(double time) const;

private:
    struct Mark {
        double before = 0, now = 0;
        std::int64_t bytes = 0;
    };
    struct Begin {
        int attempt = 0;
        std::int64_t bytes = 0;
    };
    struct Gpus {
        double time = 0;
        std::vector<GpuSample> samples;
    };
    void take(const std::string &line);
    void takeGpu(const std::string &line);

    LineFollower m_file;
    std::vector<Mark> m_marks; // by rising bytes
    std::vector<Begin> m_begins;
    std::vector<Gpus> m_gpus; // by rising time
    std::int64_t m_generation = 0;
};

} // namespace slipway
