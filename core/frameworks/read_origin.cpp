// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/read_origin.h"

#include <string>

namespace slipway {

FactOrigin readOrigin(YamlRow &row, int line, OriginColumns columns)
{
    FactOrigin origin;
    row.requiredText("origin");
    origin.kind = row.choice("origin", FieldOrigin::Assumed);
    origin.reference = row.requiredText(columns.reference);
    origin.asOf = columns.isDated ? row.requiredText("as_of") : row.text("as_of");
    if (!origin.asOf.empty() && parseDay(origin.asOf) == 0)
        row.fail(line, "'as_of' is '" + origin.asOf.substr(0, 40) + "'", "a date YYYY-MM-DD");
    return origin;
}

} // namespace slipway
