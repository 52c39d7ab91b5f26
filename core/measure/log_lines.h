// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <functional>
#include <istream>
#include <string_view>

namespace slipway {

// Calls `take` with each line of a log, up to kLongestLogLine bytes of it. '\r' ends a line too, as progress bars do.
// NULs are left out, so that UTF-16 of ASCII characters can be read.
void forEachLogLine(std::istream &stream, const std::function<void(std::string_view line)> &take);

} // namespace slipway
