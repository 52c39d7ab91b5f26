// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runs/registry.h"
#include "runs/run_entry.h"

namespace slipway::ui {

// Moves run directories to the trash of the desktop, and restores them from it.
class RunTrash {
public:
    explicit RunTrash(Registry registry) : m_registry(std::move(registry)) {}

    // Stops at the first run that cannot be moved. For a remote run, only the link is removed, and its directory stays.
    Result<void> put(const std::vector<RunEntry> &runs);
    // Restores those runs of the last put() that can still be restored. Returns the directory of one of them, or an
    // empty path if there is none.
    Result<std::filesystem::path> restore();
    [[nodiscard]] bool canRestore() const { return !m_moves.empty(); }

private:
    struct Trashed {
        std::string name;            // the name in the list
        std::filesystem::path place; // the path in the trash; for a link, the directory to which it refers
        bool isLink = false;
    };
    Result<Trashed> put(const RunEntry &run) const;
    Result<void> restore(const Trashed &run) const;

    Registry m_registry;
    std::vector<std::vector<Trashed>> m_moves; // the latest is the last; no element is empty
};

} // namespace slipway::ui
