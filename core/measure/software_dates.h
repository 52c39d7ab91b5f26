// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Dates in the text of a row, which determine the version of its software.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// "(2024-11-25)" and "(2025-02)" as 20241125 and 20250200; 0: no date.
int dateOf(std::string_view text);

// "arXiv 2104.04473" and "arXiv:2104.04473" as 20210400; 0: no such name.
int dateOfPaper(std::string_view text);

} // namespace slipway
