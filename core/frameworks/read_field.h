// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Fields of profiles and of annotations in YAML: what is set, when, from which version on, and how that is known.
#pragma once

#include <string>
#include <vector>

#include "base/yaml_row.h"
#include "frameworks/framework_profile.h"

namespace slipway {

// The map `when` of a record: {parallel: [ddp, none], tp: ">1"}.
std::vector<FieldCondition> readConditions(YamlRow &row);

// One field; its versions are those of `releases`. `where`: the file.
Result<FrameworkField> readField(
    const YamlNode &item, const std::vector<FrameworkRelease> &releases, const std::string &where);

// A list of fields; empty where there is none.
Result<std::vector<FrameworkField>> readFields(
    const YamlNode *list, const std::vector<FrameworkRelease> &releases, const std::string &where);

} // namespace slipway
