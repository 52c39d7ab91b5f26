// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <string>

#include "runs/registry.h"

namespace slipway {

// Returns the name of a run directory's entry in the registry. It differs from the directory's own name if the entry is
// a link to it. A directory that has no entry is named by its own name.
std::string entryName(const Registry &registry, const std::filesystem::path &directory);

} // namespace slipway
