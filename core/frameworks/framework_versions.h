// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares the version that a plan names with the known releases of a framework.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frameworks/framework_profile.h"

namespace slipway {

// Components of "4.46.0"; what is no number ends it.
std::vector<int> versionComponents(std::string_view version);

// The last release that is not younger than `version`; the first one where all are. Null: no release is known.
const FrameworkRelease *releaseOf(const FrameworkProfile &profile, std::string_view version);

// Whether a version is above or below those of all known releases. Dates and other text are as known.
enum class VersionAge { Older, Known, Newer };
VersionAge ageOf(const FrameworkProfile &profile, std::string_view version);

// "llama-factory 99 is newer than the newest known version 0.9.5; it is planned as 0.9.5", or older than the oldest;
// empty if it is neither.
std::string unknownVersionNote(const Frameworks &frameworks, std::string_view software);

} // namespace slipway
