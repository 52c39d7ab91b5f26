// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Who runs a run that was started by hand: the files that a launch writes (contract, section 3), so that readers see it
// running, and its exit status when it has ended.
#pragma once

#include <optional>

#include "base/result.h"
#include "runs/run_directory.h"

namespace slipway {

class RunMark {
public:
    // Where a launch started this process it has left its own mark, and this one stays out of its way.
    static RunMark leave(const RunPaths &paths);
    // What this process left already.
    static RunMark left(const RunPaths &paths);
    // Writes rc; what is not written stays unknown to readers.
    void ended(int exitStatus) const;

private:
    explicit RunMark(std::optional<RunPaths> paths) : m_paths(std::move(paths)) {}
    std::optional<RunPaths> m_paths; // empty: not ours
};

} // namespace slipway
