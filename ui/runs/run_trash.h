// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runs/registry.h"
#include "runs/run_entry.h"

namespace slipway::ui {

// Moves run directories to the trash of the desktop, and takes them back from it.
class RunTrash {
public:
    explicit RunTrash(Registry registry) : m_registry(std::move(registry)) {}

    // Ends at the first run that cannot be moved. Of a run elsewhere only the link is removed; its directory stays.
    Result<void> put(const std::vector<RunEntry> &runs);
    // Takes back the runs of the last put() that still can be; returns the directory of one of them, or
    // an empty path if there is none.
    Result<std::filesystem::path> takeBack();
    [[nodiscard]] bool canTakeBack() const { return !m_moves.empty(); }

private:
    struct Trashed {
        std::string name;            // in the list
        std::filesystem::path place; // in the trash; of a link: the directory that it names
        bool isLink = false;
    };
    Result<Trashed> put(const RunEntry &run) const;
    Result<void> takeBack(const Trashed &run) const;

    Registry m_registry;
    std::vector<std::vector<Trashed>> m_moves; // the newest last; none is empty
};

} // namespace slipway::ui
