// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "base/yaml_row.h"
#include "frameworks/framework_profile.h"

namespace slipway {

// Adds the records of a list to those of `frameworks`. An unknown key, or one that is there already, is an error with
// file and line. `list`: null where there is none; `where`: the file.
Result<void> addTorchChanges(Frameworks &frameworks, const YamlNode *list, const std::string &where);

// Whether every change of `TorchChanges` has a record. `folder`: where the records stand.
Result<void> checkTorchChanges(const Frameworks &frameworks, const std::string &folder);

} // namespace slipway
