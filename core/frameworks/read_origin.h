// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a fact of the data is known: every record with figures or behaviour says it in the same columns.
#pragma once

#include <string_view>

#include "base/yaml_row.h"
#include "frameworks/framework_profile.h"

namespace slipway {

struct OriginColumns {
    std::string_view reference = "reference"; // the name of that column
    bool isDated = false;                     // as_of is required
};

// The columns origin, reference and as_of of the record on that line. A date that is none is an error.
FactOrigin readOrigin(YamlRow &row, int line, OriginColumns columns = {});

} // namespace slipway
