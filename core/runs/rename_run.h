// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Actions of a user on a known run that has ended: rename it, restore it from the trash, archive it.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "runs/labels.h"
#include "runs/registry.h"

namespace slipway {

// The tag of runs that lists show only on request.
inline constexpr const char *kArchivedTag = "archived";

// Moves a run directory, or the link to one elsewhere, to the entry `name` of the registry. Fails if that name is
// taken.
Result<void> moveIntoList(const Registry &registry, const std::filesystem::path &from, const std::string &name);

// Renames the entry `name`: a run directory, or the link to one elsewhere. Fails if the new name is taken, or while the
// run is active, because its processes write to the old path. Returns the run directory.
Result<std::filesystem::path> renameRun(const Registry &registry, const std::string &name, const std::string &newName);

// Adds the tag kArchivedTag to these labels or removes it.
Labels withArchived(Labels labels, bool archived);
bool isArchived(const Labels &labels);

} // namespace slipway
