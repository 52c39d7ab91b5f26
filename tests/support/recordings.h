// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What real frameworks were recorded to do: tests/data/recordings, which tests/data/recordings.py makes.
#pragma once

#include <string>

#include "base/units.h"

namespace slipway::testing {

// Of a case of tests/data/recordings/NAME.json. A test fails that asks for one that was not recorded.
Bytes recorded(const std::string &name, const std::string &what);

} // namespace slipway::testing
