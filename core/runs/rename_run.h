// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a user does to a known run after it has ended: rename it, take it back from the trash, put it aside.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "runs/labels.h"
#include "runs/registry.h"

namespace slipway {

// The tag of a run that lists leave out unless they are asked for it.
inline constexpr const char *kArchivedTag = "archived";

// Moves a run directory, or the link to one elsewhere, to the entry `name` of the list. Refused where that is taken.
Result<void> moveIntoList(const Registry &registry, const std::filesystem::path &from, const std::string &name);

// Renames the entry `name`: a run directory, or the link to one elsewhere. Refused while the run goes on, because its
// processes write to the old path, and where the new name is taken. Returns the run's directory.
Result<std::filesystem::path> renameRun(const Registry &registry, const std::string &name, const std::string &newName);

// Adds or removes the tag kArchivedTag of these labels.
Labels withArchived(Labels labels, bool archived);
bool isArchived(const Labels &labels);

} // namespace slipway
