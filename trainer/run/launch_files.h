// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the files of a launch for a run that was started without one (docs/guide/file-formats.md), so that readers see
// that it is running, and its exit status after its end.
#pragma once

#include <optional>

#include "base/result.h"
#include "runs/run_directory.h"

namespace slipway {

class LaunchFiles {
public:
    // Writes the files, unless a launch that started this process has already written them.
    static LaunchFiles create(const RunPaths &paths);
    // The files that an earlier call of create() in this process wrote.
    static LaunchFiles existing(const RunPaths &paths);
    // Writes rc. If this fails, the run is shown as lost.
    void writeExitStatus(int exitStatus) const;

private:
    explicit LaunchFiles(std::optional<RunPaths> paths) : m_paths(std::move(paths)) {}
    std::optional<RunPaths> m_paths; // empty: a launch wrote the files
};

} // namespace slipway
